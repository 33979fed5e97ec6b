// The task kind that sends indexes to another server.
import {
  anyObject,
  anything,
  flag,
  mapOf,
  nullable,
  object,
  open,
  text,
} from '../../../format/schema/index.ts'
import { type Members, readAs, snakeMembers, textOf, textOrNull } from '../../backup/dumps/index.ts'
import { maskSecret } from '../../settings/schema/index.ts'
import { contentAs } from '../../write/task-data/index.ts'
import type { TaskKind } from '../kind/index.ts'
import { type ExportContent, runExportBatch } from './export-batch.ts'
import { sizeText } from './size-text.ts'

type Pattern = ExportContent['indexes'][string]

const STORED = open(
  object<Omit<ExportContent, 'kind'>>({
    url: text,
    apiKey: nullable(text),
    payloadSize: nullable(text),
    indexes: mapOf(open(object<Pattern>({ filter: anything, overrideSettings: flag }))),
  }),
)

export const exportKind: TaskKind<ExportContent> = {
  name: 'export',
  number: 12,
  isGlobal: true,
  isForLeader: false,
  holdsSecret: true,
  failsWithStorage: true,
  queue: { of: 'kind', order: 5, takes: 'oldest' },

  encode: ({ kind: _, ...rest }) => ({ content: JSON.stringify(rest) }),
  decode: (view) => ({ kind: 'export', ...contentAs(STORED, view) }),

  enqueuedDetails: (view) => {
    const { url, apiKey, payloadSize, indexes } = exportKind.decode(view)
    return {
      url,
      ...(apiKey === null ? {} : { apiKey: maskSecret(apiKey) }),
      ...(payloadSize === null ? {} : { payloadSize }),
      indexes,
    }
  },

  runs: { export: runExportBatch },

  dump: {
    needsIndex: false,
    tags: {
      export: (members, place) => ({
        kind: 'export',
        url: textOf(members['url'], place),
        apiKey: textOrNull(members['api_key'], place),
        payloadSize: textOrNull(members['payload_size'], place),
        indexes: patternsOf(readAs(mapOf(anyObject), members['indexes'] ?? {}, place)),
      }),
    },
    type: ({ url, apiKey, payloadSize, indexes }) => ({
      export: { url, api_key: apiKey, payload_size: payloadSize, indexes },
    }),
    typeOfDetails: ({ url, payloadSize = null, indexes = {} }) => ({
      export: { url, api_key: null, payload_size: payloadSize, indexes },
    }),
    details: (details) => ({
      Export: snakeMembers(details, 'url', 'apiKey', 'payloadSize', 'indexes'),
    }),
    detailsTags: {
      Export: ({ url, api_key: key, payload_size: size, indexes }) => ({
        url,
        ...(typeof key === 'string' ? { apiKey: masked(key) } : {}),
        ...(size === undefined || size === null ? {} : { payloadSize: sizeText(size) }),
        indexes: indexes ?? {},
      }),
    },
  },
}

const patternsOf = (patterns: { readonly [pattern: string]: Members }): ExportContent['indexes'] =>
  Object.fromEntries(
    Object.entries(patterns).map(([pattern, { filter = null, overrideSettings }]) => [
      pattern,
      { filter, overrideSettings: overrideSettings === true },
    ]),
  )

/** Masks a key, unless it is masked already. */
const masked = (key: string): string => (/^.{0,5}XXX+\.\.\.$/.test(key) ? key : maskSecret(key))
