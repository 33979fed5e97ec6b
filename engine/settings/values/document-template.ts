// The default template that renders a document as text for a model.

/** Lists the searchable fields of a document, one per line. */
export const DOCUMENT_TEMPLATE_DEFAULT =
  '{% for field in fields %}{% if field.is_searchable and field.value != nil %}' +
  '{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}'
export const DOCUMENT_TEMPLATE_BYTES_MAX_DEFAULT = 400
