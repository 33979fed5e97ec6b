// Runs scripts on values. The language is a subset of one that clients know, in a sandbox: a run
// ends when it executes, builds or recurses too much, and it can access only its variables.
export { ScriptFault, ScriptSyntaxError } from './faults.ts'
export { jsonString, readJson, readJsonText, writeJson } from './json.ts'
export { RUN_MS_MAX } from './limits.ts'
export { type CompiledScript, compileScript } from './script.ts'
export { type Cell, ScriptMap, Unread, type Value } from './values.ts'
