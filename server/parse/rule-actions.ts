// The actions of a dynamic search rule: an object of lists, or the list of releases up to 1.50,
// which becomes the object.
import type { PinAction, RuleActions, ScaleAction } from '../../engine/index.ts'
import type { IndexUid } from '../../format/ids.ts'
import { indexUid } from './indexes.ts'
import {
  anything,
  checked,
  checkedFilter,
  countUpTo,
  float,
  invalid,
  isJsonArray,
  isJsonObject,
  list,
  member,
  nullable,
  object,
  outOf,
  readable,
  readerOf,
  required,
  type Schema,
  text,
  texts,
  ValidationError,
} from './schema/index.ts'

const POSITION_MAX = 0xffffffff

const position = countUpTo(POSITION_MAX)

type FlatPin = Omit<PinAction, 'indexUid'> & { readonly indexUid: IndexUid | null }

const pin: Schema<PinAction> = checked(
  object<FlatPin>({
    indexUid: member(nullable(indexUid), null, null),
    id: required(text, null),
    position: required(position, null),
  }),
  ({ indexUid: uid, ...rest }) => ({ ...ofIndex(uid), ...rest }),
)

const ofIndex = (uid: IndexUid | null) => (uid === null ? {} : { indexUid: uid })

/** JSON has no infinite numbers, but one beyond all doubles is read as one. */
const weight: Schema<number> = checked(float, (found) => {
  if (found >= 0 && Number.isFinite(found)) return found
  throw invalid('the value of `weight` is invalid, expected a positive float (>= 0.0).')
})

type FlatScale = {
  readonly indexUid: IndexUid | null
  readonly ids: readonly string[] | null
  readonly filter: unknown
  readonly weight: number
}

const scale: Schema<ScaleAction> = checked(
  object<FlatScale>({
    indexUid: member(nullable(indexUid), null, null),
    ids: member(nullable(texts), null, null),
    filter: member(nullable(checkedFilter), null, null),
    weight: required(weight, null),
  }),
  ({ indexUid: uid, ids, filter: wanted, weight: factor }) => ({
    ...ofIndex(uid),
    ...(ids === null ? {} : { ids }),
    ...(wanted === null ? {} : { filter: wanted }),
    weight: factor,
  }),
)

type Flat = {
  readonly pin: readonly PinAction[] | null
  readonly scale: readonly ScaleAction[] | null
}

const lists = object<Flat>({
  pin: member(nullable(list(pin)), null, null),
  scale: member(nullable(list(scale)), null, null),
})

const readLists = readerOf(lists)

type Selector = { readonly indexUid: IndexUid | null; readonly id: string }
type Listed = { readonly selector: Selector; readonly action: Pick<PinAction, 'position'> }

const selector = object<Selector>({
  indexUid: member(nullable(indexUid), null, null),
  id: required(text, null),
})

const readPosition = readerOf(object<Listed['action']>({ position: required(position, null) }))

/** The members depend on `type`. */
const action: Schema<Listed['action']> = readable(anything, (value) => {
  if (!isJsonObject(value))
    throw new ValidationError({ kind: 'type', accepted: ['an object'], found: value })
  const { type, ...rest } = value
  if (type === undefined) throw new ValidationError({ kind: 'missing', field: 'type' })
  if (typeof type !== 'string') {
    const fault = new ValidationError({ kind: 'type', accepted: ['a string'], found: type })
    throw outOf(fault, 'type', null)
  }
  if (type !== 'pin') throw invalid('Incorrect tag value')
  return readPosition(rest)
})

const readListed = readerOf(
  list(object<Listed>({ selector: required(selector, null), action: required(action, null) })),
)

export const actions: Schema<RuleActions> = readable(lists, (value) => {
  if (!isJsonArray(value)) return withoutEmpty(readLists(value))
  const pins = readListed(value).map(
    ({ selector: { indexUid: uid, id }, action: { position: at } }): PinAction => ({
      ...ofIndex(uid),
      id,
      position: at,
    }),
  )
  return withoutEmpty({ pin: pins, scale: null })
})

const withoutEmpty = ({ pin: pins, scale: scales }: Flat): RuleActions => ({
  ...(pins === null || pins.length === 0 ? {} : { pin: pins }),
  ...(scales === null || scales.length === 0 ? {} : { scale: scales }),
})
