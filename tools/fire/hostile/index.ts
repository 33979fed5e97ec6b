// Does any request freeze, bloat or kill the server? `node tools/fire/run.mjs hostile --help`.
export { addHostileCommand } from './command.ts'
export { HELPER_WORD, helperMain } from './helper.ts'
