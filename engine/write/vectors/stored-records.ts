// The stored documents of a view, one after another.
import type { DocId } from '../../../format/ids.ts'
import type { OpenView } from '../../read/segments/index.ts'
import { documentsLayer } from '../../store/layers/index.ts'

export type StoredRecord = {
  readonly id: DocId
  readonly externalId: Uint8Array
  readonly record: Uint8Array
}

/**
 * Yields the live documents of a view in ascending order of ids. Their members are views, valid
 * until the next one.
 */
export function* liveDocuments(view: OpenView): Iterable<StoredRecord> {
  const cursors = view
    .layer(documentsLayer)
    .map(({ reader, dead }) => ({ cursor: reader.cursor(), dead }))
  const open = cursors.filter(({ cursor, dead }) => cursor.nextLive(dead))
  while (open.length > 0) {
    let least = 0
    for (let i = 1; i < open.length; i++) {
      if (open[i]!.cursor.id < open[least]!.cursor.id) least = i
    }
    const { cursor, dead } = open[least]!
    yield { id: cursor.id, externalId: cursor.externalId, record: cursor.record }
    if (!cursor.nextLive(dead)) open.splice(least, 1)
  }
}
