// Checks the writes of the session about take-overs: acknowledgements follow the order of terms,
// and acknowledged writes stay.
import { idsOf, isAcknowledged, type Write } from './failover-writes.ts'

/**
 * Describes each acknowledgement that two writers at the same time would give: of an older term
 * than one that had been received when its request was sent, or of a term of another process.
 */
export function orderFaults(writes: readonly Write[]): readonly string[] {
  const acknowledged = writes.filter((one) => isAcknowledged(one) && one.term !== null)
  const byAnswer = acknowledged.toSorted((a, b) => a.answeredAt! - b.answeredAt!)
  const faults: string[] = []
  let newest: Write | null = null
  let received = 0
  for (const write of acknowledged.toSorted((a, b) => a.sentAt - b.sentAt)) {
    for (
      ;
      (byAnswer[received]?.answeredAt ?? Number.POSITIVE_INFINITY) < write.sentAt;
      received++
    ) {
      const one: Write = byAnswer[received]!
      if (newest === null || one.term! > newest.term!) newest = one
    }
    if (newest === null || write.term! >= newest.term!) continue
    faults.push(`${words(write)}, after ${words(newest)}`)
  }
  return [...faults, ...sharedTerms(acknowledged)]
}

function sharedTerms(acknowledged: readonly Write[]): readonly string[] {
  const first = new Map<number, Write>()
  const faults: string[] = []
  for (const write of acknowledged) {
    const before = first.get(write.term!)
    if (before === undefined) first.set(write.term!, write)
    else if (before.pid !== write.pid) faults.push(`${words(write)}, and ${words(before)}`)
  }
  return faults
}

const words = ({ instance, pid, term, sentAt, answeredAt, first }: Write): string =>
  `write ${first} of term ${term} by ${instance} (${pid}), sent at ${sentAt.toFixed(0)}, ` +
  `answered at ${answeredAt?.toFixed(0)}`

/** The content of an instance: numbers of documents by index, and uids of keys. */
export type Shown = {
  readonly documents: ReadonlyMap<string, readonly number[]>
  readonly keys: ReadonlySet<string>
}

/** Which writes must be there, may be there, and must not be there. */
export class WriteLedger {
  readonly #mustStay = new Set<Write>()
  readonly #mustNotCome = new Set<Write>()
  #settled = 0
  /** Acknowledged writes that were lost and saved. */
  lost = 0

  /**
   * Compares what the writer shows with the writes so far, all of them answered or broken; returns
   * the faults. `saved`: numbers of documents in files of unpublished writes, or null if none may
   * be lost.
   */
  settle(
    writes: readonly Write[],
    shown: Shown,
    saved: ReadonlySet<number> | null,
  ): readonly string[] {
    const faults = doubled(shown)
    const there = new Map([...shown.documents].map(([uid, ids]) => [uid, new Set(ids)]))
    const isThere = (write: Write): boolean | null => {
      if (write.kind === 'key') return shown.keys.has(write.key)
      const found = idsOf(write).filter((id) => there.get(write.index)?.has(id))
      return found.length === write.count ? true : found.length === 0 ? false : null
    }
    for (const write of this.#mustStay) {
      if (isThere(write) !== true) faults.push(`gone since the last comparison: ${words(write)}`)
    }
    for (const write of this.#mustNotCome) {
      if (isThere(write) !== false) faults.push(`came back: ${words(write)}`)
    }
    for (const write of writes.slice(this.#settled)) {
      const is = isThere(write)
      if (is === null) faults.push(`only a part is there: ${words(write)}`)
      if (is === false && isAcknowledged(write)) {
        const isSaved = write.kind === 'documents' && idsOf(write).every((id) => saved?.has(id))
        if (!isSaved) faults.push(`lost: ${words(write)}, ${write.kind} ${write.status}`)
        this.lost++
      }
      ;(is === false ? this.#mustNotCome : this.#mustStay).add(write)
    }
    this.#settled = writes.length
    return faults
  }
}

function doubled({ documents }: Shown): string[] {
  const faults: string[] = []
  for (const [uid, ids] of documents) {
    const different = new Set(ids).size
    if (different !== ids.length) {
      faults.push(`${uid} shows ${ids.length} documents, ${different} different ones`)
    }
  }
  return faults
}
