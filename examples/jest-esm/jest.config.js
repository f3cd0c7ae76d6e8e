// Node runs the modules as they are.
export default { transform: {} };
