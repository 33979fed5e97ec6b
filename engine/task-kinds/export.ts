// Indexes that are sent to another server.
import { type Members, membersOf, snakeMembers, textOf, textOrNull } from '../backup/dumps/index.ts'
import { maskSecret } from '../settings/index.ts'
import {
  contentJson,
  recordBoolean,
  recordObject,
  recordString,
  recordStringOrNull,
} from '../write/tasks/index.ts'
import { type ExportContent, runExportBatch } from './export-batch.ts'
import { sizeText } from './size-text.ts'
import type { TaskKind } from './task-kind.ts'

export const exportKind: TaskKind<ExportContent> = {
  name: 'export',
  number: 12,
  isGlobal: true,
  isForLeader: false,
  holdsSecret: true,
  queue: { of: 'kind', order: 5, takes: 'oldest' },

  encode: ({ kind: _, ...rest }) => ({ content: JSON.stringify(rest) }),
  decode: (view) => {
    const { url, apiKey, payloadSize, indexes } = recordObject(contentJson(view))
    return {
      kind: 'export',
      url: recordString(url),
      apiKey: recordStringOrNull(apiKey),
      payloadSize: recordStringOrNull(payloadSize),
      indexes: patternsOf(recordObject(indexes), recordObject, recordBoolean),
    }
  },

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
        indexes: patternsOf(
          membersOf(members['indexes'] ?? {}, place),
          (one) => membersOf(one, place),
          (overrides) => overrides === true,
        ),
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

function patternsOf(
  patterns: Members,
  read: (one: unknown) => Members,
  flagOf: (value: unknown) => boolean,
): ExportContent['indexes'] {
  return Object.fromEntries(
    Object.entries(patterns).map(([pattern, one]) => {
      const { filter = null, overrideSettings } = read(one)
      return [pattern, { filter, overrideSettings: flagOf(overrideSettings) }]
    }),
  )
}

/** A key that was masked before is shown as it is. */
const masked = (key: string): string => (/^.{0,5}XXX+\.\.\.$/.test(key) ? key : maskSecret(key))
