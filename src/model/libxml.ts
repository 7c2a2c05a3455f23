/**
 * libxml2 as the parser needs it: loaded at first use, with nothing kept in its memory but the
 * schema.
 */
import { yieldNow } from '../kernel/yielder.ts'
import { schemaText } from './xsd-schema.ts'
import type { RunSchema, SchemaMessage } from './validate.ts'

/** A complaint of the parser; `column` is 1 or more. */
export interface XmlComplaint {
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
