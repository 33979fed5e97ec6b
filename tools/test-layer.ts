// A layer that exists only in tests: the numbers under `sample` of each document that has them,
// times the search cutoff of the settings. It is built like a real one: this file, and a line in
// each list of the registry, which `new-layer.test.ts` adds.

import type { IndexSettings } from '../engine/settings/index.ts'
import type { SegmentLayer } from '../engine/store/layers/index.ts'
import { type LayerProfile, layerOf } from '../engine/store/layers/layer.ts'
import { RecordFields } from '../format/documents/index.ts'
import { refuse } from '../format/errors.ts'
import type { ByteSink, Frame } from '../format/frame/index.ts'
import { encodeFrame } from '../format/frame/writer-v1.ts'
import { IdSet } from '../format/idset/index.ts'

/** Document id → its numbers, possibly several or none. */
export type Samples = ReadonlyMap<number, readonly number[]>

const FIELD = 'sample'
const factorOf = ({ searchCutoffMs }: IndexSettings): number => searchCutoffMs ?? 1

export const samplesProfile: LayerProfile = {
  name: 'samples',
  kind: 'SMPL',
  segmentCost: 1,
  extension: 'samples',
  isDerived: true,
  sections: { PAIR: 'sampled numbers' },
  analysis: null,
  use: () => ({
    checkedAs: 'sampled',
    holds: (name) => name === FIELD,
    holdsBelow: () => false,
  }),
  affectedBy: (before, after, fields) =>
    fields.includes(FIELD) && factorOf(before) !== factorOf(after) ? 'rebuild' : 'no',
}

export const samplesLayer: SegmentLayer<Samples> = layerOf(samplesProfile, {
  open: readSamples,
  close: () => undefined,
  ids: (samples) => IdSet.of([...samples.keys()]),

  builder({ settings, names }, sink) {
    const fields = new RecordFields()
    const samples = new Map<number, readonly number[]>()
    return {
      add(id, _externalId, record) {
        fields.read(record)
        for (let f = 0; f < fields.count; f++) {
          if (names.name(fields.ids[f]!) !== FIELD) continue
          const numbers: number[] = JSON.parse(Buffer.from(fields.value(f)).toString())
          const scaled = numbers.map((number) => number * factorOf(settings))
          if (scaled.length > 0) samples.set(id, scaled)
        }
      },
      finish: () => writeSamples(samples, sink),
    }
  },
  merge(inputs, sink) {
    const live = inputs.flatMap(({ reader, dead }) => [...reader].filter(([id]) => !dead.has(id)))
    return writeSamples(new Map(live.sort(([a], [b]) => a - b)), sink)
  },

  check(frame, { progress }) {
    frame.verifyAll()
    readSamples(frame)
    progress(frame.bytes.length)
    return { fieldMax: -1 }
  },
  describe(frame) {
    const samples = readSamples(frame)
    const numbers = [...samples.values()].flat().length
    return {
      content: { layer: samplesProfile.name, numbers },
      facts: [['numbers', { count: numbers }, ' in ', { bytes: frame.bytes.length }]],
      tables: [{ columns: ['document', 'numbers'], rows: rowsOf(samples) }],
    }
  },
  tables: (frame) => [
    { title: 'PAIR: numbers', columns: ['document', 'numbers'], rows: rowsOf(readSamples(frame)) },
  ],
})

const rowsOf = (samples: Samples) =>
  [...samples].map(([id, numbers]) => [String(id), numbers.length])

function writeSamples(samples: Samples, sink: ByteSink) {
  const pairs = [...samples].flatMap(([id, numbers]) => numbers.flatMap((number) => [id, number]))
  if (pairs.length === 0) return null
  const bytes = new Uint8Array(Uint32Array.from(pairs).buffer)
  sink(encodeFrame(samplesProfile.kind, (frame) => frame.section('PAIR', 1, bytes)))
  const ids = IdSet.of([...samples.keys()])
  return { documents: ids.size, idMin: ids.min, idMax: ids.max }
}

function readSamples(frame: Frame): Samples {
  const pairs = frame.section('PAIR').u32()
  if (pairs.length % 2 !== 0) refuse('PAIR', 0, 'bad_length', 'pairs', pairs.length)
  const samples = new Map<number, number[]>()
  for (let i = 0; i < pairs.length; i += 2) {
    const numbers = samples.get(pairs[i]!) ?? []
    numbers.push(pairs[i + 1]!)
    samples.set(pairs[i]!, numbers)
  }
  return samples
}
