// When the text of a segment is copied into the memory of the kernel.
import { afterEach, expect, test, vi } from 'vitest'
import { KernelFst } from '../fst/index.ts'
import { asSegmentNo } from '../ids.ts'
import { kernel } from '../kernel/index.ts'
import { KernelPostings } from './kernel-postings.ts'
import { KernelText } from './kernel-text.ts'

afterEach(() => void vi.restoreAllMocks())

const SEGMENT = asSegmentNo(7)
const numbers = { documents: 3, idMin: 1, idMax: 9 }

/** The text of a segment with so many terms; copies succeed from the given tries on. */
function world(fstFrom = 1, postingsFrom = 1, terms = 5000) {
  const released: number[] = []
  vi.spyOn(kernel().memory, 'release').mockImplementation((segment) => void released.push(segment))
  const copies = { fst: 0, postings: 0 }
  const copied = { fst: {} as KernelFst, postings: {} as KernelPostings }
  vi.spyOn(KernelFst, 'of').mockImplementation(() => {
    return ++copies.fst >= fstFrom ? copied.fst : null
  })
  vi.spyOn(KernelPostings, 'of').mockImplementation((segment, _bytes, source, load) => {
    expect([segment, source]).toEqual([SEGMENT, numbers])
    expect(load()).toEqual({ postings, offsets, ...numbers })
    return ++copies.postings >= postingsFrom ? copied.postings : null
  })
  const postings = new Uint8Array(4)
  const offsets = new Uint32Array(terms + 1)
  const post = { length: postings.length, all: () => postings }
  const sections = { fst: { size: terms }, offsets, post } as never
  return { text: KernelText.of(SEGMENT, sections, numbers), copies, copied, released }
}

test('small segments are not copied', () => {
  expect([world(1, 1, 4095).text, world(1, 1, 4096).text === null]).toEqual([null, false])
})

test('a dictionary is copied at its first use, and once', () => {
  const { text, copies, copied } = world()
  expect(copies.fst).toBe(0)
  for (let i = 0; i < 3; i++) expect(text!.fst()).toBe(copied.fst)
  expect(copies.fst).toBe(1)
})

test('a dictionary without room is tried a few times', () => {
  const { text, copies } = world(Number.POSITIVE_INFINITY)
  for (let i = 0; i < 40; i++) expect(text!.fst()).toBeNull()
  expect(copies.fst).toBe(16)
  const late = world(16)
  for (let i = 1; i < 16; i++) expect(late.text!.fst()).toBeNull()
  expect(late.text!.fst()).toBe(late.copied.fst)
})

test('postings are copied by the 64th call, tried again at powers of two, and kept', () => {
  const { text, copies, copied } = world(1, 3)
  const tries: number[] = []
  for (let call = 1; call <= 300; call++) {
    const before = copies.postings
    const found = text!.postings()
    if (copies.postings > before) tries.push(call)
    expect(found).toBe(call < 256 ? null : copied.postings)
  }
  expect(tries).toEqual([64, 128, 256])
})

test('only copies are released', () => {
  const none = world()
  none.text!.release()
  expect(none.released).toEqual([])
  const fst = world()
  fst.text!.fst()
  fst.text!.release()
  expect(fst.released).toEqual([SEGMENT])
  const postings = world()
  for (let i = 0; i < 64; i++) postings.text!.postings()
  postings.text!.release()
  expect(postings.released).toEqual([SEGMENT])
})
