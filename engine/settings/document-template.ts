// The template that makes a text of a document for a model, when none is set.

/** Lists the searchable fields of a document, one a line. */
export const DOCUMENT_TEMPLATE_DEFAULT =
  '{% for field in fields %}{% if field.is_searchable and field.value != nil %}' +
  '{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}'
export const DOCUMENT_TEMPLATE_BYTES_MAX_DEFAULT = 400
