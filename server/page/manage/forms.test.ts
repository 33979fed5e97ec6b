// The forms that change indexes and keys, without a browser.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { act, settled, stubPage, stubServer } from '../test-dom.ts'
import { question } from '../test-question.ts'
import { FormDialog } from './form-dialog.ts'
import { createForm, deleteForm, renameForm, swapForm } from './index-actions.ts'
import { type Key, keyForm, revokeForm } from './key-forms.ts'
import { buttonOf, fieldsOf, siteOf, taskAnswer, textsOf } from './test-site.ts'

beforeEach(() => stubPage())
afterEach(() => vi.unstubAllGlobals())

describe('a dialog', () => {
  const FILMS = { ...siteOf().indexes[0]! }
  /** Opens a form; returns its fields, and a function that submits it. */
  const open = (form: Parameters<FormDialog['open']>[0]) => {
    const dialog = new FormDialog()
    document.body.append(dialog.element)
    dialog.open(form)
    const { element } = dialog
    const submit = async (): Promise<void> => {
      act(element.querySelector('form')!, 'submit')
      await settled()
    }
    return { element, fields: fieldsOf(element), submit }
  }
  const TASK = { 'GET /tasks/4': taskAnswer({ uid: 4 }) }

  it('creates an index, with the primary key if one was entered', async () => {
    const request = 'POST /indexes'
    const asked = stubServer({ [request]: { taskUid: 4 }, ...TASK })
    const site = siteOf()
    const { element, fields, submit } = open(createForm(site))
    expect(element.open).toBe(true)
    fields[0]!.value = 'songs'
    await submit()
    expect(asked[0]).toEqual([request, { uid: 'songs', primaryKey: null }])
    expect(element.open).toBe(false)
    expect(element.childElementCount).toBe(0)
    expect(site.retry).toHaveBeenCalledTimes(1)
    const other = open(createForm(site))
    other.fields[0]!.value = 'songs'
    other.fields[1]!.value = ' id '
    await other.submit()
    expect(asked.at(-2)).toEqual([request, { uid: 'songs', primaryKey: 'id' }])
  })

  it('shows a refusal, after which the form may be sent again', async () => {
    stubServer({})
    const site = siteOf()
    const { element, submit } = open(createForm(site))
    const [error, button] = [element.querySelector<HTMLElement>('[role=alert]')!, 'Create']
    act(element.querySelector('form')!, 'submit')
    expect(buttonOf(element, button).disabled).toBe(true)
    await settled()
    expect([error.hidden, error.textContent]).toEqual([false, 'no POST /indexes'])
    expect(buttonOf(element, button).disabled).toBe(false)
    stubServer({
      'POST /indexes': { taskUid: 4 },
      'GET /tasks/4': taskAnswer({ uid: 4, status: 'failed', error: { message: 'exists' } }),
    })
    await submit()
    expect([element.open, error.textContent]).toEqual([true, 'exists'])
    stubServer({
      'POST /indexes': { taskUid: 4 },
      'GET /tasks/4': taskAnswer({ status: 'canceled' }),
    })
    await submit()
    expect(error.textContent).toBe('The task was canceled.')
    expect(site.retry).not.toHaveBeenCalled()
    buttonOf(element, 'Cancel').click()
    expect(element.open).toBe(false)
  })

  it('returns the focus to the button that opened it', () => {
    const opener = document.createElement('button')
    opener.dataset['focus'] = 'Rename films'
    document.body.append(opener)
    opener.focus()
    const { element } = open(renameForm(FILMS, siteOf()))
    opener.blur()
    buttonOf(element, 'Cancel').click()
    expect(document.activeElement).toBe(opener)
  })

  it('renames an index', async () => {
    const asked = stubServer({ 'PATCH /indexes/films': { taskUid: 4 }, ...TASK })
    const site = siteOf()
    const { fields, submit } = open(renameForm(FILMS, site))
    expect(fields[0]!.value).toBe('films')
    fields[0]!.value = 'movies'
    await submit()
    expect(asked[0]).toEqual(['PATCH /indexes/films', { uid: 'movies' }])
    expect(site.moved).toHaveBeenCalledExactlyOnceWith('films', 'movies')
  })

  it('swaps an index with one of the others', async () => {
    const asked = stubServer({ 'POST /swap-indexes': { taskUid: 4 }, ...TASK })
    const site = siteOf()
    const { fields, submit } = open(swapForm(FILMS, site))
    const options = [...fields[0]!.querySelectorAll('option')]
    expect(options.map(({ value, textContent }) => [value, textContent])).toEqual([
      ['books', 'books (1,200)'],
      ['notes', 'notes'],
    ])
    fields[0]!.value = 'notes'
    await submit()
    expect(asked[0]).toEqual(['POST /swap-indexes', [{ indexes: ['films', 'notes'] }]])
    expect(site.retry).toHaveBeenCalledTimes(1)
  })

  it('deletes an index whose name was entered', async () => {
    const asked = stubServer({ 'DELETE /indexes/films': { taskUid: 4 }, ...TASK })
    const site = siteOf()
    const { element, fields, submit } = open(deleteForm(FILMS, site))
    const name = fields[0] as HTMLInputElement
    const isAllowed = (text: string): boolean => {
      name.value = text
      act(name, 'input')
      return !name.validity.customError
    }
    expect(name.validity.customError).toBe(true)
    expect(['film', 'films', ''].map(isAllowed)).toEqual([false, true, false])
    expect(buttonOf(element, 'Delete').className).toBe('primary danger')
    expect(element.textContent).toContain('The index, its 2 documents and its settings')
    await submit()
    expect(asked[0]).toEqual(['DELETE /indexes/films', null])
    expect(site.moved).toHaveBeenCalledExactlyOnceWith('films', '')
    const unknown = open(deleteForm({ ...FILMS, documents: null }, site))
    expect(unknown.element.textContent).toContain('The index, its documents and its settings')
  })

  it('creates a key with the ticked actions, and shows it once', async () => {
    const asked = stubServer({ 'POST /keys': { key: 'SECRET' } })
    const created = vi.fn<() => void>()
    const site = siteOf({ question: question({ index: 'films' }) })
    const { element, fields, submit } = open(keyForm(site, ['*', 'search', 'tasks.get'], created))
    const [name, description, indexes, all, , tasks, expires] = fields as HTMLInputElement[]
    expect(element.querySelector('.scopes')!.textContent).toContain('* (everything)search')
    expect(indexes!.value).toBe('films')
    name!.value = ' shop '
    await submit()
    const request = { name: 'shop', description: null, actions: ['search'], indexes: ['films'] }
    expect(asked).toEqual([['POST /keys', { ...request, expiresAt: null }]])
    expect(created).toHaveBeenCalledTimes(1)
    expect(element.textContent).toContain('SECRET')
    expect(element.querySelector('form')).toBeNull()
    expect(document.activeElement).toBe(buttonOf(element, 'Done'))
    buttonOf(element, 'Done').click()
    expect(element.textContent).toBe('')

    const other = open(keyForm(siteOf({ question: question({ index: '' }) }), ['*'], created))
    expect(other.fields[2]!.value).toBe('*')
    expect([all!.checked, tasks!.checked, expires!.type]).toEqual([false, false, 'datetime-local'])
    other.fields[1]!.value = 'text'
    other.fields[2]!.value = 'a*, b'
    ;(other.fields[3] as HTMLInputElement).checked = true
    other.fields[4]!.value = '2030-01-02T03:04'
    await other.submit()
    const expiresAt = new Date('2030-01-02T03:04').toISOString()
    const sent = {
      name: null,
      description: 'text',
      actions: ['*'],
      indexes: ['a*', 'b'],
      expiresAt,
    }
    expect(asked[1]).toEqual(['POST /keys', sent])
    expect(description!.value).toBe('')
  })

  it('revokes a key', async () => {
    const asked = stubServer({ 'DELETE /keys/u%2F1': new Response(null, { status: 204 }) })
    const revoked = vi.fn<() => void>()
    const key = { uid: 'u/1', name: null } as Key
    const { element, submit } = open(revokeForm(key, revoked))
    expect(element.querySelector('h2')!.textContent).toBe('Revoke this key')
    expect(buttonOf(element, 'Revoke').className).toBe('primary danger')
    await submit()
    expect(asked).toEqual([['DELETE /keys/u%2F1', null]])
    expect(revoked).toHaveBeenCalledTimes(1)
    expect(element.open).toBe(false)
  })

  it('shows no refusal of a request that was aborted', async () => {
    const dialog = new FormDialog()
    document.body.append(dialog.element)
    const key = { uid: 'a/b', name: null } as never
    dialog.open(revokeForm(key, () => undefined))
    const alert = dialog.element.querySelector<HTMLElement>('[role=alert]')!
    expect(textsOf(dialog.element, 'h2')).toEqual(['Revoke this key'])
    vi.stubGlobal('fetch', () => Promise.reject(new DOMException('x', 'AbortError')))
    act(dialog.element.querySelector('form')!, 'submit')
    await settled()
    expect([alert.hidden, buttonOf(dialog.element, 'Revoke').disabled]).toEqual([true, false])
    const asked = stubServer({})
    act(dialog.element.querySelector('form')!, 'submit')
    await settled()
    expect(asked).toEqual([['DELETE /keys/a%2Fb', null]])
    expect([alert.hidden, alert.textContent]).toEqual([false, 'no DELETE /keys/a%2Fb'])
  })
})
