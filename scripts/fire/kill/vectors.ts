// Checks of vectors after a kill: each document has its own vectors and those of its text, they are
// counted, searches by vector find the nearest, and a document whose text did not change is not
// embedded again.
import assert from 'node:assert/strict'
import type { Instance } from '../parts/instance.ts'
import { providedVector } from './provider.ts'
import { type Doc, type Index, renderedText } from './work.ts'

const NEAREST = 10

/** The form in which documents are read back. */
type Kept = { readonly embeddings: readonly number[][]; readonly regenerate: boolean }
type ShownVectors = { readonly e?: Kept | readonly number[] | null; readonly r?: Kept }

/** A document and its vectors in the same form for all embedders that it may have. */
export type WithVectors = Doc & { readonly vectors: object }

const vectorsOf = (e: unknown, r: unknown): object => ({ e: e ?? null, r: r ?? null })

/** Returns a document as the work creates it. */
export function expectedDoc({ _vectors, ...doc }: Doc, { embedders }: Index): WithVectors {
  const text = renderedText(doc, embedders)
  const r = text === null ? null : providedVector(text)
  return { ...doc, vectors: vectorsOf(_vectors?.e, r) }
}

/** Returns a document as it is read back with its vectors. */
export function shownDoc({ _vectors, ...doc }: Doc, { embedders }: Index): WithVectors {
  const { e = null, r } = (_vectors ?? {}) as ShownVectors
  const isApart = e !== null && 'embeddings' in e
  if (embedders.e) assert.ok(isApart && !e.regenerate, `document ${doc.id}: its own vectors`)
  const own = isApart ? e.embeddings[0] : e
  if (embedders.r !== null) assert.equal(r?.regenerate, true, `document ${doc.id}: made vectors`)
  const made = embedders.r === null ? null : r?.embeddings[0]
  // After the removal of an embedder, a document without a vector has an empty list.
  return { ...doc, vectors: vectorsOf(own?.length === 0 ? null : own, made) }
}

/** Checks counts of vectors, and searches by them. */
export async function compareVectors(instance: Instance, uid: string, index: Index): Promise<void> {
  const docs = [...index.docs.values()]
  const { embedders } = index
  const brought = embedders.e ? docs.filter(hasBrought) : []
  const embedded = embedders.r === null ? brought : docs
  const stats = (await instance.ask('GET', `/indexes/${uid}/stats`)).json
  const made = embedders.r === null ? 0 : docs.length
  assert.equal(stats.numberOfEmbeddings, brought.length + made, `embeddings of ${uid}`)
  assert.equal(stats.numberOfEmbeddedDocuments, embedded.length, `embedded documents of ${uid}`)
  if (embedders.e) await compareNearest(instance, uid, 'e', [1, 0.25], ownVectors(docs))
  if (embedders.r === null) return
  const vectors = new Map(
    docs.map((doc) => [doc.id, providedVector(renderedText(doc, embedders)!)] as const),
  )
  await compareNearest(instance, uid, 'r', [0.5, -0.25, 1, 0.125], vectors)
}

const hasBrought = ({ _vectors }: Doc): boolean => (_vectors?.e ?? null) !== null

const ownVectors = (docs: readonly Doc[]) =>
  new Map(docs.filter(hasBrought).map(({ id, _vectors }) => [id, _vectors!.e!] as const))

/** Checks that the hits are as near as the nearest documents. */
async function compareNearest(
  instance: Instance,
  uid: string,
  embedder: string,
  vector: readonly number[],
  vectors: ReadonlyMap<number, readonly number[]>,
): Promise<void> {
  const hybrid = { embedder, semanticRatio: 1 }
  const body = { vector, hybrid, limit: NEAREST, attributesToRetrieve: ['id'] }
  const { json } = await instance.expect(200, 'POST', `/indexes/${uid}/search`, body)
  const all = [...vectors.values()].map((one) => cosine(one, vector)).sort((a, b) => b - a)
  const hits = json.hits as readonly { readonly id: number }[]
  const found = hits.flatMap(({ id }) => vectors.get(id) ?? []).length
  const about = `nearest of ${embedder} in ${uid}`
  assert.ok(found >= Math.min(NEAREST, all.length), about)
  for (const [at, best] of all.slice(0, NEAREST).entries()) {
    const hit = cosine(vectors.get(hits[at]!.id)!, vector)
    // Similarities are compared in 32-bit floats.
    assert.ok(Math.abs(hit - best) < 1e-6, `${about}: hit ${at} has ${hit}, not ${best}`)
  }
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = a.reduce((sum, value, d) => sum + value * b[d]!, 0)
  return dot / Math.hypot(...a) / Math.hypot(...b)
}
