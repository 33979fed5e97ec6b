// The states of each document, in the order of its requests, and those that readers have seen: a reader
// of one instance never sees an older state after a newer one.
import type { Request } from '../followers/follow-model.ts'

/** The version of a document, or null if it does not exist. */
type Version = number | null

export class History {
  readonly #states = new Map<string, Version[]>()
  /** By reader and document: the place of the state that it has seen last. */
  readonly #seen = new Map<string, number>()
  reads = 0

  /** Notes a request; requests are sent one after another. */
  sent({ index, kind, ids, version }: Request): void {
    for (const id of ids) {
      this.#of(`${index}/${id}`).push(kind === 'delete' ? null : version)
    }
  }

  /** Notes what a reader has read; returns what is wrong with it, or null. */
  read(reader: string, index: string, id: number, version: Version): string | null {
    this.reads++
    const document = `${index}/${id}`
    const states = this.#of(document)
    const key = `${reader} ${document}`
    const from = this.#seen.get(key) ?? 0
    const at = states.indexOf(version, from)
    if (at < 0) {
      return `${reader} reads version ${version} of ${document} after ${states[from]}`
    }
    this.#seen.set(key, at)
    return null
  }

  /** Notes that a reader has to see this version, or a later one, from now on. */
  saw(reader: string, index: string, id: number, version: Version): void {
    const document = `${index}/${id}`
    const key = `${reader} ${document}`
    const at = this.#of(document).indexOf(version)
    this.#seen.set(key, Math.max(at, this.#seen.get(key) ?? 0))
  }

  /** A reader begins again: its instance has lost its folder, or was the writer meanwhile. */
  forget(reader: string): void {
    for (const key of this.#seen.keys()) {
      if (key.startsWith(`${reader} `)) this.#seen.delete(key)
    }
  }

  #of(document: string): Version[] {
    const known = this.#states.get(document)
    if (known !== undefined) return known
    const states: Version[] = [null]
    this.#states.set(document, states)
    return states
  }
}
