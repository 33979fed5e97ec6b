// Values of the manifest: a store returns all committed values, also those of other writers, and a
// space has a limit.
import { describe, expect, it } from 'vitest'
import { CorruptionError, refuse } from '../../../format/errors.ts'
import { EngineFault, FEATURES } from '../../model/index.ts'
import { type Manifest, openManifest } from '../catalog/index.ts'
import { FakeDisk, type FileSystem } from '../storage/index.ts'
import {
  decodedValues,
  featureChange,
  featureRecords,
  featuresOf,
  recordsOf,
  type ValueSpace,
  ValueStore,
  valueChange,
} from './index.ts'

let decoded = 0

const BYTES_MAX = 30
const WORDS: ValueSpace<string> = {
  name: 'words',
  encode: (word) => Buffer.from(word),
  decode: (record, key) => {
    decoded++
    const word = Buffer.from(record).toString()
    return word === 'damaged' ? refuse('word', 0, 'bad_value', 'a word', key) : word
  },
  limit: {
    bytesMax: BYTES_MAX,
    refuse: (bytes, wanted) =>
      new EngineFault('database_size_limit_reached', `${bytes}, then ${wanted}`),
  },
}

let salt = 1
const open = (fs: FileSystem): Promise<Manifest> =>
  openManifest(fs, { version: '1.0.0', upgrade: false, drawLogSalt: () => salt++ })

describe('a store of values', () => {
  it('has its values by key in byte order, also after a restart', async () => {
    const fs = new FakeDisk().mount()
    const manifest = await open(fs)
    const store = new ValueStore(manifest, WORDS)
    await store.update(() => [
      ['é', 'last'],
      ['b', 'two'],
      ['a', 'one'],
    ])
    await store.update(() => [['b', null]])
    expect([...store.all()]).toEqual([
      ['a', 'one'],
      ['é', 'last'],
    ])
    expect([store.get('a'), store.get('b'), store.size]).toEqual(['one', undefined, 2])
    await manifest.close()
    const again = new ValueStore(await open(fs), WORDS)
    expect([...again.all()]).toEqual([...store.all()])
  })

  it('shows each update the result of the one before', async () => {
    const store = new ValueStore(await open(new FakeDisk().mount()), WORDS)
    const append = (letter: string) =>
      store.update(() => [['key', `${store.get('key') ?? ''}${letter}`]])
    await Promise.all(['a', 'b', 'c'].map(append))
    expect(store.get('key')).toBe('abc')
  })

  it('returns values committed by others, and decodes only those', async () => {
    const manifest = await open(new FakeDisk().mount())
    const store = new ValueStore(manifest, WORDS)
    await store.update(() => [
      ['a', 'one'],
      ['b', 'two'],
    ])
    const before = [store.version, store.all(), store.all()] as const
    expect(before[1]).toBe(before[2])
    decoded = 0
    await manifest.commit([valueChange(WORDS, 'c', 'three')])
    expect([store.get('c'), decoded]).toEqual(['three', 1])
    expect(store.version).toBeGreaterThan(before[0])
    await manifest.commit([{ kind: 'value-set', space: 'others', key: 'k', value: Buffer.of(1) }])
    expect([store.size, decoded]).toEqual([3, 1])
  })

  it('changes nothing when the change throws or the space would be too large', async () => {
    const manifest = await open(new FakeDisk().mount())
    const store = new ValueStore(manifest, WORDS)
    await store.update(() => [['key', 'x'.repeat(20)]])
    const before = recordsOf(WORDS, manifest.state)
    const failing = () => {
      throw new EngineFault('bad_request', 'not now')
    }
    await expect(store.update(failing)).rejects.toThrow('not now')
    const larger = store.update(() => [['other', 'yy'.repeat(3)]])
    await expect(larger).rejects.toThrow('23, then 34')
    expect(recordsOf(WORDS, manifest.state)).toBe(before)
    // A change that does not grow the space is accepted; the key counts in bytes.
    await store.update(() => [
      ['key', null],
      ['éé', 'z'.repeat(BYTES_MAX - 4)],
    ])
    expect([...decodedValues(WORDS, manifest.state).keys()]).toEqual(['éé'])
  })

  it('refuses a record that cannot be read, at opening and when it is committed later', async () => {
    const manifest = await open(new FakeDisk().mount())
    const store = new ValueStore(manifest, WORDS)
    await manifest.commit([valueChange(WORDS, 'k', 'damaged')])
    expect(() => store.get('k')).toThrow(CorruptionError)
    expect(() => new ValueStore(manifest, WORDS)).toThrow(CorruptionError)
  })
})

it('a space without a limit grows, and a change of it is the record or its removal', async () => {
  const manifest = await open(new FakeDisk().mount())
  const store = new ValueStore(manifest, { ...WORDS, limit: null })
  await store.update(() => [['key', 'x'.repeat(BYTES_MAX * 10)]])
  expect(store.get('key')?.length).toBe(BYTES_MAX * 10)
  const set = { kind: 'value-set', space: 'words', key: 'k' }
  expect(valueChange(WORDS, 'k', 'w')).toEqual({ ...set, value: Buffer.from('w') })
  expect(valueChange(WORDS, 'k', null)).toEqual({ ...set, value: null })
})

it('features are on as long as they have a record', async () => {
  const fs = new FakeDisk().mount()
  const manifest = await open(fs)
  const [first, second] = FEATURES
  const on = (of: Manifest) => FEATURES.filter((feature) => featuresOf(of)[feature])
  expect(on(manifest)).toEqual([])
  await manifest.commit([featureChange(first!, true), featureChange(second!, true)])
  expect(on(manifest)).toEqual([first, second])
  await manifest.commit([featureChange(first!, false)])
  expect([on(manifest), [...featureRecords(manifest)]]).toEqual([
    [second],
    [[second, Uint8Array.of(1)]],
  ])
  expect(featureRecords(manifest)).toBe(featureRecords(manifest))
  await manifest.close()
  expect(on(await open(fs))).toEqual([second])
})
