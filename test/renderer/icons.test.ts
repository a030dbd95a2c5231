import { readFileSync } from 'node:fs'
import { render } from '@testing-library/svelte'
import type { Component } from 'svelte'
import { expect, test } from 'vitest'
import Icon from '../../node_modules/@lucide/svelte/dist/Icon.svelte'
import { dataOf } from '../../scripts/single-icons.ts'

type AnyIcon = Component<Record<string, unknown>>

// One of one part, one of several kinds of parts, and one that has other names.
test.each(['chevron-right', 'file-text', 'trash'])('the icon %s is in tests what the package draws', async (name) => {
  const file = `../../node_modules/@lucide/svelte/dist/icons/${name}.svelte`
  const { default: drawn } = await import(file)
  const icon = dataOf(readFileSync(new URL(file, import.meta.url), 'utf8'))
  const told = [
    {},
    { size: '1em', strokeWidth: 1.5, fill: 'currentColor', class: 'quiet' },
    { size: 14, 'aria-hidden': true },
    { 'aria-label': 'More' }
  ]
  for (const props of told) {
    expect(attributesOf(drawn, props)).toEqual(attributesOf(Icon as unknown as AnyIcon, { ...props, icon }))
  }
})

/** Every element's name and attributes, in whichever order these were set. */
function attributesOf(component: AnyIcon, props: Record<string, unknown>) {
  const { container } = render(component, { props })
  const attributes = (element: Element) =>
    Object.fromEntries(Array.from(element.attributes, ({ name, value }) => [name, value]))
  return Array.from(container.querySelectorAll('*'), (element) => [element.localName, attributes(element)])
}
