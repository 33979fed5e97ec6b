// Here is a template and a document: which text?

export { TemplateFault } from './fault.ts'
export {
  runTemplateJob,
  type TemplateInput,
  type TemplateJob,
  type TemplateOutcome,
} from './job.ts'
export { loadLibrary, parseTemplate } from './liquid.ts'

export {
  type TemplateReply,
  type Templates,
  TemplateThread,
  templatesInPlace,
} from './thread.ts'
