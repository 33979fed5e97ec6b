// Rebuilds layers from the stored documents, under other settings or another analysis version. A
// change of embedders moves vectors: entries of a document under a name that has become an embedder
// move to the vectors layer; own vectors of a removed embedder move back into the document.
import { RecordFields } from '../../../format/documents/index.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import { OpenView } from '../../read/segments/index.ts'
import { cachedSettings, type IndexSettings } from '../../settings/index.ts'
import {
  discoverFields,
  documentsLayer,
  FieldNames,
  layerBit,
  layerBits,
  planOfLayers,
  vectorsProfile,
} from '../../store/layers/index.ts'
import { liveDocuments, VectorsMove } from '../vectors/index.ts'
import { Building } from './building.ts'
import { ChunkBuilder } from './chunk.ts'
import type { JobEnvironment } from './jobs.ts'
import type { IndexJob, RebuildResult } from './protocol.ts'

/** Estimated size of records as a multiple of their segments. */
const UNPACKED = 3

type RebuildJob = Extract<IndexJob, { kind: 'rebuild' }>

/** @throws EngineFault, StorageError, Canceled */
export function runRebuild(request: RebuildJob, env: JobEnvironment): RebuildResult {
  const view = new OpenView(request.view, env.cache)
  const settings = cachedSettings(request.settings)
  const names = new FieldNames(request.view.fields)
  const stored = view.layer(documentsLayer).reduce((sum, { ref }) => sum + ref.bytes, 0)
  const chunkBytesMax = Math.min(request.chunkBytesMax, stored * UNPACKED)
  const total = view.live().size
  const building = new Building({ job: request.job, settings, names, total, chunkBytesMax }, env)
  try {
    const counts = buildAll(request, { view, settings, names, building, env })
    return { segments: building.finish(), fieldsAdded: names.added, ...counts }
  } catch (error) {
    throw building.abandon(error)
  }
}

type Counts = Pick<RebuildResult, 'vectorCounts' | 'fieldCounts'>

type Parts = {
  readonly view: OpenView
  readonly settings: IndexSettings
  readonly names: FieldNames
  readonly building: Building
  readonly env: JobEnvironment
}

function buildAll(
  { layers, chunkBytesMax, view: ref }: RebuildJob,
  { view, settings, names, building, env }: Parts,
): Counts {
  const plan = planOfLayers(settings, names)
  const into = layerBits(layers)
  const chunk = new ChunkBuilder()
  const fields = new RecordFields()
  const scratch = new JsonBuffer(64)
  const movesVectors = (into & layerBit(vectorsProfile.name)) !== 0
  const before = cachedSettings(ref.settings)
  const move = movesVectors
    ? new VectorsMove(
        before,
        settings,
        view,
        names,
        env.vectorMaker({ names, before, after: settings }),
      )
    : null
  const build = (): void => building.build(chunk.take(move?.vectors.take() ?? null))
  for (const document of liveDocuments(view)) {
    const record = move?.record(document) ?? document.record
    fields.read(record)
    for (let f = 0; f < fields.count; f++) {
      discoverFields(plan.field(fields.ids[f]!), record, fields.starts[f]!, scratch)
    }
    chunk.add(document.id, into, document.externalId, record)
    if (chunk.bytes + (move?.vectors.bytes ?? 0) >= chunkBytesMax) build()
  }
  move?.vectors.requireAll()
  if (chunk.count > 0) build()
  return { vectorCounts: move?.vectors.counts ?? null, fieldCounts: move?.fieldCounts ?? [] }
}
