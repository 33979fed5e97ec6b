// Parts of the check that need no database: external ids, reading of files, unused files.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FakeDisk } from '../../engine/store/storage/index.ts'
import { asSegmentNo } from '../../format/ids.ts'
import { type IdHolder, LiveExternalIds } from './external-ids.ts'
import { findLeftovers } from './leftovers.ts'
import { readThrough } from './read-through.ts'

describe('external ids', () => {
  /** `names` are the external ids of documents 0, 1, …; each segment has 10 of them. */
  function duplicatesOf(names: readonly string[], hashOf: (name: string) => number) {
    const ids = new LiveExternalIds()
    let reads = 0
    names.forEach((name, id) => {
      ids.add(hashOf(name), asSegmentNo(1 + Math.floor(id / 10)), id as never)
    })
    const found = ids.duplicates(({ segment, id }: IdHolder) => {
      expect(segment).toBe(1 + Math.floor(id / 10))
      reads++
      return Buffer.from(names[id]!)
    })
    return { found: found.map(([first, other]) => [first.id, other.id]), reads }
  }

  it('of any documents are compared with the first that has the same', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'ab', 'é', 'e'), { maxLength: 40 }),
        (names) => {
          const expected = names.flatMap((name, id) => {
            const first = names.indexOf(name)
            return first === id ? [] : [[first, id]]
          })
          // Different ids may have the same hash.
          expect(duplicatesOf(names, (name) => name.length).found).toEqual(expected)
        },
      ),
    )
  })

  it('are read only where hashes are equal, also of many documents', () => {
    const many = Array.from({ length: 5000 }, (_, id) => `n${id}`)
    const hash = (name: string): number => Number(name.slice(1))
    expect(duplicatesOf(many, hash)).toEqual({ found: [], reads: 0 })
    const twice = [...many, 'n1023', 'n1024', 'n4999']
    expect(duplicatesOf(twice, hash)).toEqual({
      found: [
        [1023, 5000],
        [1024, 5001],
        [4999, 5002],
      ],
      reads: 6,
    })
  })
})

it('a file is read to its end, and closed', () => {
  const fs = new FakeDisk().mount()
  const file = fs.open('a', 'create')
  file.write(0, new Uint8Array((1 << 20) + 5))
  file.close()
  fs.open('empty', 'create').close()
  const steps: number[] = []
  readThrough(fs, 'a', (done) => steps.push(done))
  readThrough(fs, 'empty', (done) => steps.push(done))
  expect(steps).toEqual([1 << 20, (1 << 20) + 5])
  expect(fs.openFiles).toBe(0)
})

it('files that nothing names are unused, except those of the engine', () => {
  const fs = new FakeDisk().mount()
  const files = [
    ...['CURRENT', 'VERSION', 'LOCK', 'mine.txt', 'manifest-000001.log', 'manifest-000002.log'],
    ...['segments/000001.docs', 'segments/000002.docs', 'tasks/x.log', 'tasks/bodies/1.body'],
    ...['staging/left'],
  ]
  for (const folder of ['segments', 'tasks', 'tasks/bodies', 'staging']) fs.makeDirectory(folder)
  for (const path of files) {
    const file = fs.open(path, 'create')
    file.write(0, new Uint8Array(path.length))
    file.close()
  }
  const named = new Set(['manifest-000002.log', 'segments/000001.docs', 'tasks/x.log'])
  expect(findLeftovers(fs, named)).toEqual(
    [
      ...['manifest-000001.log', 'mine.txt', 'segments/000002.docs', 'tasks/bodies/1.body'],
      'staging/left',
    ].map((file) => ({ file, bytes: file.length })),
  )
})
