// The request that renders a template with a document or a search.

import type { IndexUid } from '../../format/ids.ts'
import { indexUid } from './indexes.ts'
import {
  anything,
  member,
  nullable,
  object,
  oneOf,
  positiveCount,
  required,
  type Schema,
  text,
  type WholeBody,
  wholeBody,
} from './schema/index.ts'

const TEMPLATE_KINDS = [
  'documentTemplate',
  'chatDocumentTemplate',
  'indexingFragment',
  'searchFragment',
  'inlineDocumentTemplate',
  'inlineFragment',
] as const
export type TemplateKind = (typeof TEMPLATE_KINDS)[number]

const INPUT_KINDS = ['indexDocument', 'inlineDocument', 'inlineSearch'] as const
export type InputKind = (typeof INPUT_KINDS)[number]

/** null means absent; `inline` may be any other value. */
export type TemplateRequest = {
  readonly kind: TemplateKind
  readonly indexUid: IndexUid | null
  readonly embedder: string | null
  readonly fragment: string | null
  readonly inline: unknown
  readonly documentTemplateMaxBytes: number | null
}

export type InputRequest = {
  readonly kind: InputKind
  readonly indexUid: IndexUid | null
  readonly id: string | null
  readonly inline: unknown
}

export type RenderRequest = {
  readonly template: TemplateRequest
  readonly input: InputRequest | null
}

const template: Schema<TemplateRequest> = object<TemplateRequest>({
  kind: required(oneOf(TEMPLATE_KINDS), null),
  indexUid: member(nullable(indexUid), null, null),
  embedder: member(nullable(text), null, null),
  fragment: member(nullable(text), null, null),
  inline: member<unknown>(anything, null, null),
  documentTemplateMaxBytes: member(nullable(positiveCount), null, null),
})

const input: Schema<InputRequest> = object<InputRequest>({
  kind: required(oneOf(INPUT_KINDS), null),
  indexUid: member(nullable(indexUid), null, null),
  id: member(nullable(text), null, null),
  inline: member<unknown>(anything, null, null),
})

const request: Schema<RenderRequest> = object<RenderRequest>({
  template: required(template, 'invalid_render_template'),
  input: member(nullable(input), 'invalid_render_input', null),
})

/** @throws ApiError */
export const readRender: WholeBody<RenderRequest> = wholeBody(request)
