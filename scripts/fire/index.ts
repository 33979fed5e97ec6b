// What does the server do when everything goes wrong around it? The long versions:
// `node scripts/run.mjs fire --help`; the tests beside this file are the short ones.
export { addFireCommands } from './commands.ts'
export { builtFolder, type Program, startProgram } from './program.ts'
