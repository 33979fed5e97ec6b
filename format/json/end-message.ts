// The message of a text that ends too early.
import { EOF_LIST, EOF_OBJECT, EOF_STRING, EOF_VALUE, INVALID_NUMBER } from './faults.ts'
import {
  AFTER,
  COLON,
  ESCAPE_LAST,
  FIRST_ELEMENT,
  FIRST_KEY,
  KEY,
  NUMBER,
  NUMBER_COMPLETE,
  STRING,
} from './grammar.ts'

/**
 * Returns the message of a text that ends in `state`, with an object as the last open bracket or a
 * list. `rawBrackets`: open brackets inside a document whose messages are those of documents;
 * negative outside of one.
 */
export function endMessage(state: number, isObject: boolean, rawBrackets: number): string {
  if (state >= STRING && state <= ESCAPE_LAST) return EOF_STRING
  if (state === FIRST_ELEMENT) return EOF_LIST
  if (state === FIRST_KEY || state === COLON) return EOF_OBJECT
  if (state === KEY) return rawBrackets > 0 ? EOF_OBJECT : EOF_VALUE
  if (state === AFTER || state >= NUMBER_COMPLETE) return isObject ? EOF_OBJECT : EOF_LIST
  if (state >= NUMBER) return rawBrackets >= 0 ? INVALID_NUMBER : EOF_VALUE
  return EOF_VALUE
}
