// Declares JSON bodies: a reader by its name, and the schema that it accepts.
import type { JsonBody } from '../http/messages/index.ts'
import { type JsonSchema, schemaOf } from '../parse/schema/index.ts'
import { BODY_READERS, type BodyDetail, type BodyName, type BodyValue } from './readers.table.ts'

type Params<Name extends string> = { readonly [N in Name]: string }

/** The reader's arguments besides the body, computed for each request; most readers have none. */
type DetailsOf<N extends BodyName, Name extends string> =
  BodyDetail<N> extends []
    ? [details?: undefined, schema?: () => JsonSchema]
    : [details: (params: Params<Name>) => BodyDetail<N>, schema?: () => JsonSchema]

const NOTHING = (): readonly unknown[] => []

const declared = <N extends BodyName, Name extends string>(
  kind: JsonBody['kind'],
  reader: N,
  [details, schema]: DetailsOf<N, Name>,
): JsonBody<BodyValue<N>, Name> => ({
  kind,
  reader,
  read: BODY_READERS[reader] as JsonBody<BodyValue<N>>['read'],
  details: details ?? NOTHING,
  schema: schema ?? (() => schemaOf(BODY_READERS[reader])),
})

/** A body with the default size limit. `schema` is needed if it depends on the details. */
export const jsonBody = <N extends BodyName, Name extends string = never>(
  reader: N,
  ...more: DetailsOf<N, Name>
): JsonBody<BodyValue<N>, Name> => declared('json', reader, more)

/** A body that may be as large as documents. */
export const bulkJsonBody = <N extends BodyName, Name extends string = never>(
  reader: N,
  ...more: DetailsOf<N, Name>
): JsonBody<BodyValue<N>, Name> => declared('bulkJson', reader, more)
