// Which attributes hold ids of documents of other indexes.
import { replace } from './patches.ts'
import { setting } from './setting.ts'
import { isListOf, isObjectOf, isText } from './stored-checks.ts'

export type ForeignKey = { readonly foreignIndexUid: string; readonly fieldName: string }

export const foreignKeys = setting<readonly ForeignKey[]>()({
  code: 'invalid_settings_foreign_keys',
  advice: 'send an array of `{"foreignIndexUid": …, "fieldName": …}`.',
  change: 'whole',
  feature: 'foreignKeys',
  default: [],
  isStored: isListOf(isObjectOf<ForeignKey>({ foreignIndexUid: isText, fieldName: isText })),
  merge: replace,
})
