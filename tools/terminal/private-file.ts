// A file that only its owner may read, for what may hold keys: settings, parts of a database.
import { chmodSync, writeFileSync } from 'node:fs'

const OWNER_ONLY = 0o600

/** Writes the file, or over it; closed to others before anything is in it. */
export function writePrivateFile(path: string, content: string | Uint8Array): void {
  writeFileSync(path, '', { mode: OWNER_ONLY })
  chmodSync(path, OWNER_ONLY)
  writeFileSync(path, content)
}
