// Any bytes decode to tombstones or are refused with a typed error; decoded tombstones survive a
// round trip. Page: format/tombstones/TOMBSTONES.md
import { assert, CorruptionError, VersionError } from '../format/errors.ts'
import { IdSet } from '../format/idset/index.ts'
import { decodeTombstones, encodeTombstones } from '../format/tombstones/index.ts'
import type { FuzzTarget } from './target.ts'

export const target: FuzzTarget = {
  name: 'tombstones',
  seeds: () => [
    encodeTombstones({ form: 'delta', generation: 1, ids: IdSet.of([300]) }),
    encodeTombstones({ form: 'delta', generation: 9, ids: IdSet.of([1, 2, 3, 700, 70000]) }),
    encodeTombstones({ form: 'full', generation: 2, ids: IdSet.range(50, 4000) }),
    encodeTombstones({ form: 'full', generation: 5, ids: IdSet.of(scattered()) }),
  ],
  run,
  allows: (error) => error instanceof CorruptionError || error instanceof VersionError,
  inputBytesMax: 4096,
}

function run(input: Uint8Array): void {
  const found = decodeTombstones(input)
  if (found.ids.size > 1 << 16) return
  const bytes = encodeTombstones(found)
  assert(bytes.length <= input.length, 'a writer takes the shortest coding')
  const again = decodeTombstones(bytes)
  assert(again.form === found.form, 'the form survives')
  assert(again.generation === found.generation, 'the generation survives')
  assert(again.ids.equals(found.ids), 'the ids survive')
}

function* scattered(): Iterable<number> {
  for (let i = 0; i < 500; i++) yield i * 211
}
