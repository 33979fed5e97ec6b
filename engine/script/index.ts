// Runs scripts on values. The language is a subset of one that clients know, in a sandbox: a run
// ends when it executes, builds or recurses too much, and it can access only its variables.
export { type CompiledScript, compileScript } from './script.ts'
