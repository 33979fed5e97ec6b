// The documents that have a place or a shape, if it is not all of them: an id set at the end of the
// section.
import { refuse } from '../errors.ts'
import { Members } from '../fields/index.ts'
import type { Section } from '../frame/index.ts'
import { decodeIdSet } from '../idset/index.ts'

/** Reads the set of `count` of `docs` from `at` to the end. @throws CorruptionError */
export function readHolders(section: Section, at: number, count: number, docs: Members): Members {
  const holders = decodeIdSet(section.read(at, section.length - at))
  if (holders.size !== count || holders.andSize(docs.set) !== count) {
    refuse(section.tag, at, 'bad_value', `${count} documents`, holders.size)
  }
  return new Members(holders)
}
