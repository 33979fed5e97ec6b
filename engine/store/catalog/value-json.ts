// Values of the manifest that are kept as JSON text: read with distrust, each reader says what it
// reads.
import { refuse } from '../../../format/errors.ts'

export type Members = { readonly [member: string]: unknown }

const decoder = new TextDecoder('utf-8', { fatal: true })

/** @throws CorruptionError of `section` for anything but JSON in UTF-8 */
export function valueJson(section: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch (error) {
    // No UTF-8 (TypeError) or no JSON (SyntaxError).
    return refuse(section, 0, 'bad_value', 'JSON', String(error))
  }
}

/** @throws CorruptionError of `section` for anything but an object */
export function membersOf(section: string, value: unknown): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  return refuse(section, 0, 'bad_value', 'an object', typeof value)
}
