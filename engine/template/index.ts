// Here is a template and a document: which text?
export { parseTemplate, type Template, TemplateFault } from './liquid.ts'
