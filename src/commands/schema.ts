/** `appengine schema`. */
import {
  type AttributeRule,
  type ElementRule,
  schemaRules,
  schemaText,
} from '../model/parse/xsd-schema.ts'
import type { Arguments } from './arguments.ts'
import { EXIT, printLine } from './output.ts'
import { renderOrder, renderParameters, renderSql } from './reference-parts.ts'

/** Prints the XSD of the model language, for editors; with `--reference` the manual made of it. */
export async function runSchema(args: Arguments): Promise<number> {
  const isReference = args.has('reference')
  const text = isReference ? renderReference() : schemaText()
  const json = isReference ? { Reference: text } : { Schema: text }
  printLine(args.json ? JSON.stringify(json) : text.trimEnd())
  return EXIT.done
}

/** An element with the names of its parents; a root has none. */
export interface ReferenceEntry {
  rule: ElementRule
  parents: string[]
}

/** Collects every element once, in the order of the schema, each root followed by its children. */
export function collectElements(): ReferenceEntry[] {
  const entries = new Map<ElementRule, ReferenceEntry>()
  const roots = [...schemaRules().roots.values()]
  for (const root of roots) entries.set(root, { rule: root, parents: [] })
  const visit = (parent: ElementRule): void => {
    for (const child of parent.content.children.values()) {
      const known = entries.get(child)
      if (known) {
        if (!known.parents.includes(parent.name)) known.parents.push(parent.name)
        continue
      }
      entries.set(child, { rule: child, parents: [parent.name] })
      visit(child)
    }
  }
  for (const root of roots.filter((each) => each.name !== 'Model')) {
    entries.delete(root)
    entries.set(root, { rule: root, parents: ['Model'] })
    visit(root)
  }
  return [...entries.values()]
}

/** The reference as Markdown: each element with its attributes and what it holds. */
export function renderReference(): string {
  const { documentation, roots } = schemaRules()
  const sections = collectElements().map(({ rule, parents }) => {
    const isRoot = roots.get(rule.name) === rule
    const within = isRoot ? '' : ` (in ${parents.join(', ')})`
    return `${isRoot ? '##' : '###'} ${rule.name}${within}\n\n${renderElement(rule)}`
  })
  const parts = [renderParameters(), renderSql(), renderOrder()].map(escape)
  return `# The model language\n\n${[escape(documentation), ...sections, ...parts].join('\n\n')}\n`
}

function renderElement(rule: ElementRule): string {
  const { attributes, anyAttributes, children, text } = rule.content
  const parts = [escape(rule.documentation) + (rule.once ? ' At most once.' : '')]
  if (text !== undefined) parts.push(`Its text is ${escape(text)}.`)
  if (anyAttributes) parts.push('Its attributes are the columns of the entity.')
  if (attributes.size > 0) {
    const lines = [...attributes.values()].map(renderAttribute)
    parts.push(['| Attribute | Value | Meaning |', '|---|---|---|', ...lines].join('\n'))
  }
  if (children.size > 0) {
    const names = [...children.values()].map((child) => child.name + (child.once ? ' (once)' : ''))
    parts.push(`Holds: ${names.join(', ')}.`)
  }
  return parts.join('\n\n')
}

function renderAttribute({ name, required, value, documentation }: AttributeRule): string {
  const cells = [`\`${name}\`${required ? ' (required)' : ''}`, value, documentation]
  return `| ${cells.map((cell) => escape(cell).replaceAll('|', '\\|')).join(' | ')} |`
}

/** Escapes the characters that Markdown would take as HTML; blocks of code stay as they are. */
function escape(text: string): string {
  const parts = text.split('```')
  return parts.map((part, at) => (at % 2 > 0 ? part : part.replaceAll('<', '&lt;'))).join('```')
}
