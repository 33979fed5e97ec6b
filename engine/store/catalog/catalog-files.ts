// The catalog files of a database, written from a state: the first files of a copy of the database.
import { encoder } from '../../../format/bytes/index.ts'
import { encodeEdit } from '../../../format/manifest/index.ts'
import { encodeLog } from '../logs/index.ts'
import { checkpointEdit } from './checkpoint.ts'
import { currentLine, EDIT_RECORD } from './manifest.ts'
import { CURRENT, manifestName, VERSION } from './names.ts'
import type { State } from './state.ts'

export type CatalogFile = { readonly path: string; readonly bytes: Uint8Array }

/**
 * Returns a manifest that holds only `state`, with `VERSION` and `CURRENT`. `version`: the release
 * for which the copy is written. `salt`: a new one for the log.
 */
export function catalogFiles(state: State, version: string, salt: number): readonly CatalogFile[] {
  const header = { kind: 'MANI', number: 1, salt } as const
  const payload = encodeEdit(checkpointEdit(state))
  const manifest = manifestName(1)
  return [
    { path: VERSION, bytes: encoder.encode(version) },
    { path: CURRENT, bytes: currentLine(manifest) },
    { path: manifest, bytes: encodeLog(header, [{ type: EDIT_RECORD, payload }]) },
  ]
}
