// Names the heads of a process that holds the writer lease, and refuses its requests when it does
// not.
import {
  type HeadNames,
  type NextHead,
  snapshotName,
  type Transport,
  TransportFault,
  type WriterLease,
} from '../../backup/objstore/index.ts'
import { EngineFault } from '../../model/index.ts'

export class LeasedTerm implements HeadNames {
  readonly #lease: WriterLease
  readonly #mark: number
  #term = 0
  #number = 0

  /** `mark`: distinguishes the names of this process. */
  constructor(lease: WriterLease, mark: number) {
    this.#lease = lease
    this.#mark = mark
  }

  async next(): Promise<NextHead> {
    const { isHeld, term, instance } = this.#lease
    if (!isHeld) throw lapsed()
    if (term !== this.#term) this.#number = 0
    this.#term = term
    const place = { term, number: ++this.#number }
    return { name: snapshotName(place, this.#mark), placed: { ...place, instance } }
  }
}

/**
 * Returns a transport that sends nothing while the lease is not held: a process that was stopped
 * for a while must not delete what the next writer uses.
 */
export const fencedTransport =
  (lease: WriterLease, transport: Transport): Transport =>
  (request) =>
    lease.isHeld
      ? transport(request)
      : Promise.reject(new TransportFault(true, 'this instance does not hold the writer lease'))

export const lapsed = (): EngineFault =>
  new EngineFault(
    'writer_lease_lapsed',
    'This instance does not hold the writer lease of its object store now. Try again, or send ' +
      'writes to the instance that holds it.',
  )
