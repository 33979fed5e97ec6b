// The form that makes a workspace for chats: its name, its provider and the provider's key.
import { ask, bodySchema, field, h, INDEX_NAME, textField } from '../parts/index.ts'
import type { DialogForm } from './form-dialog.ts'
import { valueControl } from './value-control.ts'

/** Settings that a workspace needs; the others have defaults. */
const NEEDED = ['source', 'apiKey', 'baseUrl', 'deploymentId', 'apiVersion', 'orgId', 'projectId']

/** `made`: called when the workspace exists. @throws ServerError */
export async function workspaceForm(made: () => void): Promise<DialogForm> {
  const schemas = await bodySchema('patch', '/chats/{workspace}/settings')
  const known = NEEDED.flatMap((name) => (schemas[name] ? [[name, schemas[name]] as const] : []))
  const schema = { type: 'object', properties: Object.fromEntries(known) }
  const control = valueControl(schema, undefined, 'workspace')
  const name = textField({ ...INDEX_NAME, autofocus: true })
  return {
    heading: 'Make a workspace',
    contents: [
      h('p', { class: 'muted' }, 'A workspace says which provider of models answers, and how.'),
      field('Name of the workspace', name),
      control.element,
    ],
    submit: 'Make',
    send: async (signal) => {
      await ask('PATCH', '/experimental-features', { chatCompletions: true }, signal)
      const path = `/chats/${encodeURIComponent(name.value)}/settings`
      await ask('PATCH', path, control.read() ?? {}, signal)
      made()
      return null
    },
  }
}
