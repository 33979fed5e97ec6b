// The first fault of a whole text.
import type { JsonFault } from './faults.ts'
import { JsonScanner } from './scanner.ts'

/**
 * Returns the first fault of a text that must be one value, such as the body of a route, or null.
 */
export function findFault(text: Uint8Array): JsonFault | null {
  const scanner = new JsonScanner('value')
  scanner.feed(text)
  while (scanner.next());
  scanner.finish()
  return scanner.fault
}
