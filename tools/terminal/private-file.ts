// Writes files that only their owner may read, because they may contain keys: settings, parts of a
// database.
import { chmodSync, writeFileSync } from 'node:fs'

const OWNER_ONLY = 0o600

/** Creates or overwrites the file; its permissions are set before it has content. */
export function writePrivateFile(path: string, content: string | Uint8Array): void {
  writeFileSync(path, '', { mode: OWNER_ONLY })
  chmodSync(path, OWNER_ONLY)
  writeFileSync(path, content)
}
