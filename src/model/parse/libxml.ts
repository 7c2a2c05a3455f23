/**
 * libxml2 as the parser needs it: loaded at first use, with nothing kept in its memory but the
 * schema.
 */
import { yieldNow } from '../../kernel/yielder.ts'
import type { RunSchema, SchemaMessage } from './validate.ts'
import { schemaText } from './xsd-schema.ts'

/** A complaint of the parser; `column` is 1 or more. */
interface XmlComplaint {
  message: string
  line: number
  column: number
}

export interface Libxml {
  /** Complaints about a text that is not well-formed; none when it is. */
  parse: (text: string) => XmlComplaint[]
  /** Messages of the XSD validation of a well-formed text. */
  validate: RunSchema
}

let libxml: Promise<Libxml> | undefined

/** Loads libxml2 and compiles the schema, once; about 60 ms. */
export function loadLibxml(): Promise<Libxml> {
  libxml ??= start()
  return libxml
}

async function start(): Promise<Libxml> {
  const { ParseOption, XmlDocument, XmlLibError, XsdValidator } = await import('libxml2-wasm')
  const option =
    ParseOption.XML_PARSE_NO_XXE |
    ParseOption.XML_PARSE_NONET |
    ParseOption.XML_PARSE_NO_SYS_CATALOG |
    ParseOption.XML_PARSE_IGNORE_ENC |
    ParseOption.XML_PARSE_BIG_LINES
  // The module alone takes more than a turn, and so does the schema.
  await yieldNow()
  const schema = XmlDocument.fromString(schemaText(), { option })
  await yieldNow()
  const validator = XsdValidator.fromDoc(schema)

  const parse = (text: string): XmlComplaint[] => {
    try {
      XmlDocument.fromString(text, { option }).dispose()
      return []
    } catch (error) {
      if (!(error instanceof XmlLibError)) throw error
      const { details } = error
      if (details.length === 0) return [{ message: error.message, line: 1, column: 1 }]
      return details.map(({ message, line, col }) => ({
        message,
        line: Math.max(1, line),
        column: Math.max(1, col),
      }))
    }
  }

  const validate = (text: string): SchemaMessage[] => {
    const document = XmlDocument.fromString(text, { option })
    try {
      validator.validate(document)
      return []
    } catch (error) {
      if (!(error instanceof XmlLibError)) throw error
      return error.details.map(({ message, xpath }) => ({ message, xpath }))
    } finally {
      document.dispose()
    }
  }
  return { parse, validate }
}

const PHRASES: readonly [RegExp, (...parts: string[]) => string][] = [
  [
    /^Opening and ending tag mismatch: (\S+) line (\d+) and (\S+)/,
    (open, line, close) => `<${open}> of line ${line} is closed by </${close}>`,
  ],
  [
    /^Premature end of data in tag (\S+) line (\d+)/,
    (tag, line) => `<${tag}> of line ${line} is never closed`,
  ],
  [/^EndTag: '<\/' not found/, () => 'An element is never closed'],
  [/^Couldn't find end of Start Tag (\S+)/, (tag) => `The tag <${tag}> does not end properly`],
  [
    /^Entity '(.*)' not defined/,
    (name) => `Unknown entity &${name}; (known are &lt; &gt; &amp; &quot; &apos; and numbers)`,
  ],
  [/^Attribute (\S+) redefined/, (name) => `The attribute '${name}' appears twice on one element`],
  [
    /^Extra content at the end of the document/,
    () => 'There is something after the root element; put several scripts of one file into <Model>',
  ],
  [/^Start tag expected|^Document is empty/, () => 'An element was expected here'],
  [/^AttValue: /, () => "An attribute's value must be in quotes"],
  [
    /^Specification mandates? value for attribute (\S+)/,
    (name) => `The attribute '${name}' has no value`,
  ],
  [/^(xmlParseEntityRef|EntityRef)/, () => 'A lone & (write &amp; for it)'],
  [/^xmlParseCharRef|^CharRef/, () => 'A malformed character reference (as in &#65;)'],
  [
    /^StartTag: invalid element name/,
    () => 'A lone < (write &lt; for it, or put the text into CDATA)',
  ],
  [/^Unescaped '<' not allowed/, () => 'A lone < in an attribute (write &lt; for it)'],
  [/^Sequence '\]\]>' not allowed/, () => 'A lone ]]> (write ]]&gt; for it)'],
  [
    /^(Invalid character|PCDATA invalid Char|Invalid bytes|Input is not proper)/,
    () => 'A character that XML does not allow',
  ],
  [
    /^Namespace prefix (\S+)/,
    (prefix) => `The prefix '${prefix}' is not declared; names have no prefix here`,
  ],
  [/^Comment not terminated/, () => 'A comment is never closed'],
  [/^CData section not finished/, () => 'A CDATA section is never closed'],
  [/^Excessive depth/, () => 'Elements are nested too deeply'],
]

/** Explains a message of libxml2's parser in words that an author understands. */
export function explainXmlFault(message: string): string {
  const text = message.trim()
  for (const [expression, say] of PHRASES) {
    const match = expression.exec(text)
    if (match) return say(...match.slice(1))
  }
  return text === '' ? 'This is not well-formed XML' : text
}
