// Runs scripts on values in a sandbox. The language is a subset of Rhai. A run ends when it
// executes, builds or recurses too much, and it can access only its variables.
export { type CompiledScript, compileScript } from './script.ts'
