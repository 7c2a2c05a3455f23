/** A large application: as many entities and views as a company's whole system has. */
import partXml from './large-part.xml' with { type: 'text' }
import viewXml from './large-view.xml' with { type: 'text' }

/** How large. */
export interface LargeModel {
  entities: number
  views: number
}

/** An entity refers to the one ten before it, so there are ten chains of references. */
const APART = 10

/** One entity in so many has a column that is computed from the one below. */
const COMPUTED = 4

/** Model files, ten entities with their views a file, as a developer would write them. */
export function planLargeModel({ entities, views }: LargeModel): { name: string; body: string }[] {
  const perEntity = Math.round(views / entities)
  const files: { name: string; body: string }[] = []
  for (let from = 0; from < entities; from += APART) {
    const numbers = Array.from({ length: Math.min(APART, entities - from) }, (_, at) => from + at)
    const bodies = numbers.map((number) => planPart(number, entities, perEntity))
    const body = `<Model>\n${bodies.join('')}</Model>\n`
    files.push({ name: `part-${String(from).padStart(4, '0')}.xml`, body })
  }
  return [...files, { name: 'access.xml', body: planAccess(entities, perEntity) }]
}

/** An entity with its generated view, and views with a query and actions of their own. */
function planPart(number: number, entities: number, views: number): string {
  const above = number - APART
  const below = number + APART
  const isComputed = number % COMPUTED === 0 && below < entities
  const names = {
    N: number,
    A: above >= 0 ? above : undefined,
    B: isComputed ? below : undefined,
  }
  const own = Array.from({ length: views - 1 }, (_, at) => {
    return fill(String(viewXml), { ...names, V: at + 1 })
  })
  return [fill(String(partXml), names), ...own].join('')
}

/** Fills `{N}` and the like in; a line that names what there is none of goes. */
function fill(text: string, values: Readonly<Record<string, number | undefined>>): string {
  return text
    .split('\n')
    .filter((line) => {
      return Object.entries(values).every(([name, value]) => {
        return value !== undefined || !line.includes(`{${name}}`)
      })
    })
    .join('\n')
    .replace(/\{([NABV])\}/g, (_, name: string) => String(values[name]))
}

/**
 * Roles that write everything, and roles that read of each resource the rows that are theirs or
 * done.
 */
function planAccess(entities: number, perEntity: number): string {
  const resources = Array.from({ length: entities }, (_, number) => [
    `Parts${number}`,
    ...Array.from({ length: perEntity - 1 }, (_each, at) => `Parts${number}By${at + 1}`),
  ]).flat()
  const writers = resources.map((resource) => {
    const verbs = 'View List Create Update Delete'
    return `<Grant Resource="${resource}" Verbs="${verbs}" Capabilities="Close"/>`
  })
  const readers = resources.flatMap((resource) => [
    `<Grant Resource="${resource}" Verbs="View List"/>`,
    `<RowFilter Resource="${resource}">OwnerId = @CurrentUserId OR Status = 'done'</RowFilter>`,
  ])
  const roles = [
    ['<Role Name="Writer">', ...writers, '</Role>'],
    ['<Role Name="Reader">', ...readers, '</Role>'],
  ]
  return ['<Rbac>', '<Capability Name="Close"/>', ...roles.flat(), '</Rbac>', ''].join('\n')
}
