// `svc-tools explain`: runs one search over a database that no server has open, and shows each
// step.

import { EngineFault, type Features, type SearchRequest } from '../../engine/index.ts'
import {
  type Explained,
  explainSearch,
  readDatabase,
  SegmentCache,
  viewRef,
} from '../../engine/inspect.ts'
import { encoder } from '../../format/bytes/index.ts'
import type { IndexUid } from '../../format/ids.ts'
import { ApiError } from '../../server/errors/index.ts'
import { readSearch } from '../../server/parse/index.ts'
import { openDatabaseFolder } from '../inspect/index.ts'
import { oneLine, ToolError } from '../terminal/index.ts'

export type ExplainOptions = {
  readonly index: IndexUid
  readonly query: string
  /** JSON: the members of a search body besides `q`. */
  readonly search: string
}

const BLOCK_BYTES_MAX = 16 << 20

/** All features are on, because the features of the server do not matter here. */
const ALL_FEATURES = new Proxy({} as Features, { get: () => true })

/** @throws ToolError, StorageError */
export function explain(db: string, { index, query, search }: ExplainOptions): Explained {
  const fs = openDatabaseFolder(db)
  const { state } = readDatabase(fs)
  const known = [...state.indexes.values()]
  const found = known.find(({ uid }) => uid === index)
  if (found === undefined) {
    const names = known.map(({ uid }) => uid).join(', ')
    throw new ToolError(`there is no index \`${index}\`: the database has ${names || 'none'}`)
  }
  const ref = viewRef(found, state.sequence)
  const cache = new SegmentCache(fs, BLOCK_BYTES_MAX)
  try {
    return explainSearch(ref, cache, requestOf(query, search), ALL_FEATURES)
  } catch (error) {
    // A fault of the search; other errors are faults of the database.
    if (error instanceof EngineFault) throw new ToolError(oneLine(error.message))
    throw error
  }
}

function requestOf(query: string, search: string): SearchRequest {
  try {
    const parameters: unknown = JSON.parse(search)
    if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) {
      throw new ToolError('--search must be a JSON object')
    }
    const body = JSON.stringify({ ...parameters, q: query })
    return readSearch(encoder.encode(body))
  } catch (error) {
    // The text is not JSON, or not the parameters of a search.
    if (error instanceof SyntaxError) throw new ToolError(`--search: ${error.message}`)
    if (error instanceof ApiError) throw new ToolError(`--search: ${oneLine(error.message)}`)
    throw error
  }
}
