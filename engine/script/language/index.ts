// The text of a script: words, syntax tree, values, limits.
export {
  arithmetic,
  functionNotFound,
  mismatch,
  type Position,
  ScriptFault,
  ScriptSyntaxError,
} from './faults.ts'
export { jsonString, readJson, readJsonText, writeJson } from './json.ts'
export { CALL_LEVELS, RUN_MS_MAX, VARIABLES_MAX } from './limits.ts'
export { Meter } from './meter.ts'
export { parseScript } from './parse.ts'
export {
  CharacterPlace,
  constantFault,
  ElementPlace,
  MemberPlace,
  type Place,
  TemporaryPlace,
  VariablePlace,
} from './places.ts'
export {
  type Block,
  type FunctionDefinition,
  functionKey,
  type Link,
  type Node,
  type NodeOf,
} from './tree.ts'
export {
  Blob,
  type Cell,
  Char,
  compareValues,
  debugText,
  displayText,
  equalValues,
  FunctionPointer,
  isNumber,
  Range,
  ScriptMap,
  Stream,
  shortTypeName,
  signatureOf,
  textOfString,
  typeName,
  Unread,
  type Value,
  weightOf,
} from './values.ts'
export { CHANGING_FUNCTIONS, GETTERS } from './words.table.ts'
