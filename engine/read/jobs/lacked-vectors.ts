// Reports hybrid searches that could have no vector: their embedder leaves vectors to the client,
// which sent none. Their words decide alone, which clients may take for a bad ranking.
import type { IndexUid } from '../../../format/ids.ts'
import { LACKED_VECTORS_MAX } from './limits.ts'

export type LackedVector = { readonly uid: IndexUid; readonly embedder: string }

/** Returns a function that reports such searches, once for each index and embedder. */
export function lackedVectorNotes(
  note: (message: string) => void,
): (searches: readonly LackedVector[]) => void {
  const reported = new Set<string>()
  return (searches) => {
    for (const { uid, embedder } of searches) {
      const key = JSON.stringify([uid, embedder])
      if (reported.has(key)) continue
      if (reported.size === LACKED_VECTORS_MAX) reported.clear()
      reported.add(key)
      note(
        `A hybrid search in index \`${uid}\` has no \`vector\` and is answered by words alone: its ` +
          `embedder \`${embedder}\` has source \`userProvided\`. Further such searches are not reported.`,
      )
    }
  }
}
