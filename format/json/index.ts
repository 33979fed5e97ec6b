// JSON as bytes: checks whether it is well-formed, locates faults, members and values · ./JSON.md
export { JsonBuffer } from './buffer.ts'
export { Canonical, canonicalText } from './canonical.ts'
export { compact } from './compact.ts'
export {
  EXPECTED_IDENT,
  EXPECTED_VALUE,
  faultText,
  INVALID_NUMBER,
  type JsonFault,
  kindText,
  TRAILING_CHARACTERS,
} from './faults.ts'
export { findFault } from './find-fault.ts'
export { DEPTH_MAX } from './grammar.ts'
export { equalRanges, hashBytes, KeySet } from './keys.ts'
export { Members } from './members.ts'
export {
  canonicalNumber,
  exactNumberJson,
  exactValue,
  floatText,
  isCanonicalNumber,
  isInteger,
  numberText,
  numberValue,
} from './numbers.ts'
export { JsonScanner } from './scanner.ts'
export { skipSpace, skipString, skipValue } from './skip.ts'
export { hasEscape, jsonKey, unescapeInto, unescapeText, writeJsonString } from './strings.ts'
export { firstInvalid, Utf8Check } from './utf8.ts'
