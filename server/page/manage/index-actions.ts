// The forms that create, rename, swap and delete an index.
import {
  countText,
  field,
  h,
  INDEX_NAME,
  type IndexRow,
  indexPath,
  plural,
  type Site,
  textField,
} from '../parts/index.ts'
import { type DialogForm, runTask } from './form-dialog.ts'

export function createForm(site: Site): DialogForm {
  const name = textField({ ...INDEX_NAME, autofocus: true })
  const primaryKey = textField({ placeholder: 'found in the first documents' })
  return {
    heading: 'Create an index',
    contents: [field('Name', name), field('Primary key', primaryKey)],
    submit: 'Create',
    send: async (signal, progress) => {
      const key = primaryKey.value.trim()
      const body = { uid: name.value, primaryKey: key === '' ? null : key }
      await runTask(['POST', '/indexes', body], signal, progress)
      site.retry()
      return null
    },
  }
}

export function renameForm({ uid }: IndexRow, site: Site): DialogForm {
  const name = textField({ ...INDEX_NAME, value: uid, autofocus: true })
  return {
    heading: `Rename ${uid}`,
    contents: [
      field('New name', name),
      h('p', { class: 'muted' }, 'Programs that search it need the new name, and so do keys.'),
    ],
    submit: 'Rename',
    send: async (signal, progress) => {
      await runTask(['PATCH', indexPath(uid), { uid: name.value }], signal, progress)
      site.moved(uid, name.value)
      return null
    },
  }
}

export function swapForm({ uid }: IndexRow, site: Site): DialogForm {
  const others = site.indexes.filter((index) => index.uid !== uid)
  const other = h(
    'select',
    { autofocus: true },
    others.map(({ uid, documents }) =>
      h('option', { value: uid }, documents === null ? uid : `${uid} (${countText(documents)})`),
    ),
  )
  return {
    heading: `Swap ${uid}`,
    contents: [
      field('With', other),
      h(
        'p',
        { class: 'muted' },
        'Each gets the documents and settings of the other, at one moment.',
      ),
    ],
    submit: 'Swap',
    send: async (signal, progress) => {
      const body = [{ indexes: [uid, other.value] }]
      await runTask(['POST', '/swap-indexes', body], signal, progress)
      site.retry()
      return null
    },
  }
}

export function deleteForm({ uid, documents }: IndexRow, site: Site): DialogForm {
  const name = textField({ required: true, autofocus: true })
  const check = (): void =>
    name.setCustomValidity(name.value === uid ? '' : `Enter the name of the index: ${uid}`)
  name.addEventListener('input', check)
  check()
  const lost = documents === null ? 'its documents' : `its ${plural(documents, 'document')}`
  return {
    heading: `Delete ${uid}`,
    contents: [
      h('p', {}, `The index, ${lost} and its settings are deleted. This cannot be undone.`),
      field(`Enter “${uid}” to confirm`, name),
    ],
    submit: 'Delete',
    isDangerous: true,
    send: async (signal, progress) => {
      await runTask(['DELETE', indexPath(uid)], signal, progress)
      site.moved(uid, '')
      return null
    },
  }
}
