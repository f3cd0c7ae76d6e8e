pytest_plugins = ["model_gateway"]
