// Documents for another server: newline-delimited JSON as stored, in chunks of limited size. The
// first line of a chunk describes it.
import { BRACE, BRACE_END, COMMA, KiB, NEWLINE } from '../../../format/bytes/index.ts'
import { RecordFields } from '../../../format/documents/index.ts'
import type { DocId } from '../../../format/ids.ts'
import { IdSet, lowerBound } from '../../../format/idset/index.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import type { Features } from '../../model/index.ts'
import { type ShardSet, type Transfer, transferred } from '../../network/records/index.ts'
import { DocumentVectorsWriter } from '../answers/index.ts'
import type { ExportChunk, SearchableView, SearchControl } from '../jobs/index.ts'
import { Selection } from '../present/index.ts'
import { filtered, readFilter } from '../retrieval/index.ts'
import { type OpenView, ShardDocuments } from '../segments/index.ts'

/** Documents between two checks for cancellation. */
const STRIDE = 256

/**
 * Returns a line `{"total","documents","last"}`, then one line for each document. `last` is the
 * `after` of the next chunk, or null at the end. @throws EngineFault, StorageError, Canceled
 */
export function runExport(
  view: SearchableView,
  { filter, after, bytesMax, fragments, transfer }: ExportChunk,
  features: Features,
  control: SearchControl,
): Uint8Array {
  const tree = readFilter(filter, 'export', view.ref.uid, features, control)
  const all = filtered(view, tree, 'export', control)
  const ids = (
    transfer === undefined ? all : all.and(transferredDocuments(view, transfer))
  ).toArray()
  const out = new JsonBuffer(64 * KiB)
  const write = writerOf(view, fragments)
  const begin = lowerBound(ids, after + 1)
  let end = begin
  for (; end < ids.length; end++) {
    if (end % STRIDE === STRIDE - 1) control.isLate()
    const length = out.length
    write(ids[end]!, out)
    if (out.length <= bytesMax || end === begin) continue
    out.length = length
    break
  }
  const last = end < ids.length ? ids[end - 1]! : null
  const head = JSON.stringify({ total: ids.length, documents: end - begin, last })
  const lead = Buffer.from(`${head}\n`)
  const chunk = new Uint8Array(lead.length + out.length)
  chunk.set(lead)
  chunk.set(out.view(), lead.length)
  return chunk
}

/** The transferred documents of a view, cached because every chunk of an export needs them. */
const cachedTransfers = new WeakMap<OpenView, { readonly key: string; readonly documents: IdSet }>()

/** Returns the documents that move to another instance. */
function transferredDocuments({ view, shards }: SearchableView, transfer: Transfer): IdSet {
  const key = JSON.stringify(transfer)
  const cached = cachedTransfers.get(view)
  if (cached?.key === key) return cached.documents
  const { from, to } = transfer
  const isDivided = shards !== null && isOf(to, shards) && (from === null || isOf(from, shards))
  const documents = isDivided
    ? heldBy(view, to).and(from === null ? view.live() : heldBy(view, from))
    : passing(view, transferred(transfer))
  cachedTransfers.set(view, { key, documents })
  return documents
}

/** Returns true for the shards that searches use: the views cache their sets of documents. */
const isOf = ({ names }: ShardSet, shards: readonly string[]): boolean =>
  names.length === shards.length && names.every((name, i) => name === shards[i])

const heldBy = (view: OpenView, { names, held }: ShardSet): IdSet =>
  new ShardDocuments(view, names, goOn).union(names.filter((_, i) => held[i]))

const goOn = (): void => undefined

/** Returns the documents whose external ids pass; hashes every id. */
const passing = (view: OpenView, passes: (externalId: Uint8Array) => boolean): IdSet =>
  IdSet.ofSorted(
    view
      .live()
      .toArray()
      .filter((id) => passes(view.externalId(id)!)),
  )

/**
 * Writes documents with their vectors in `_vectors`, so that the other server need not compute
 * them.
 */
function writerOf(
  view: SearchableView,
  orders: ExportChunk['fragments'],
): (id: DocId, out: JsonBuffer) => void {
  const existing = view.search.fields
  const selection = new Selection(existing, existing)
  const fields = new RecordFields()
  const vectors = new DocumentVectorsWriter(view)
  const vectorsField = view.fieldId('_vectors') ?? -1
  return (id, out) => {
    const record = view.view.record(id)
    out.byte(BRACE)
    if (record !== null) {
      fields.read(record)
      const count = selection.write(fields, record, view.keys, vectorsField, out)
      const at = fields.indexOf(vectorsField)
      const before = out.length
      if (count > 0) out.byte(COMMA)
      out.ascii('"_vectors":')
      const others = at < 0 ? null : fields.value(at)
      if (!vectors.transfer(id, others, orders, out)) out.length = before
    }
    out.byte(BRACE_END)
    out.byte(NEWLINE)
  }
}
