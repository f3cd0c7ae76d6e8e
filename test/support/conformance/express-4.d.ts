// Express 4 is installed under another name; its types differ from those of 5 in nothing that is used here.
declare module 'express-4' {
  import express from 'express';
  export default express;
}
