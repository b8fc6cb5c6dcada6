// Replaced as the folder is built.
