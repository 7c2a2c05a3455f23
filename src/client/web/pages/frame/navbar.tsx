/** The tree of places, as the model has it for this caller, with badges that stay current. */
import { signal } from '@preact/signals'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { path } from '../../state/address.ts'
import { addressOfNode, badges, shownNodes } from '../../state/navbar.ts'
import { Icon } from '../../parts/icon.tsx'

type Node = Schemas['NavbarNode']

/** Branches that the user opened or closed; others are open where they hold the place. */
const turned = signal<Readonly<Record<string, boolean>>>({})

/** Draws the tree; the branch of the place that is shown is open. */
export function Navbar() {
  return <NodeList nodes={shownNodes.value} />
}

function NodeList({ nodes }: { nodes: readonly Node[] }) {
  return (
    <ul class="nav-list">
      {nodes.map((node) => (
        <NodeItem key={node.Name} node={node} />
      ))}
    </ul>
  )
}

function NodeItem({ node }: { node: Node }) {
  const { Name, Label, Children } = node
  const address = addressOfNode(node)
  const isOpen = turned.value[Name] ?? Children.some(holdsPlace)
  const turn = (): void => {
    turned.value = { ...turned.value, [Name]: !isOpen }
  }
  const content = (
    <>
      <Icon name={node.Icon ?? 'circle'} />
      <span class="nav-label">{Label}</span>
      <Badge name={Name} />
    </>
  )
  return (
    <li>
      <div class="nav-line">
        {address === undefined ? (
          <button type="button" class="nav-item" aria-expanded={isOpen} onClick={turn}>
            {content}
            <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} />
          </button>
        ) : (
          <a class="nav-item" href={address} aria-current={isHere(node) ? 'page' : undefined}>
            {content}
          </a>
        )}
        {address !== undefined && Children.length > 0 && (
          <button
            type="button"
            class="icon-button"
            aria-expanded={isOpen}
            aria-label={`${say('menu')}: ${Label}`}
            onClick={turn}
          >
            <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} />
          </button>
        )}
      </div>
      {isOpen && Children.length > 0 && <NodeList nodes={Children} />}
    </li>
  )
}

const isHere = (node: Node): boolean =>
  addressOfNode(node) === `/${path.value.slice(0, 2).join('/')}`

const holdsPlace = (node: Node): boolean => isHere(node) || node.Children.some(holdsPlace)

function Badge({ name }: { name: string }) {
  const badge = badges.value[name]
  if (!badge || badge.Value === false || badge.Value === 0) return null
  return badge.Kind === 'Dot' ? (
    <span class="badge-dot" role="img" aria-label="•" />
  ) : (
    <span class="badge-count">{String(badge.Value)}</span>
  )
}
