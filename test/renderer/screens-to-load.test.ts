import { render, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { expect, test } from 'vitest'
import App from '../../src/renderer/src/App.svelte'
import { fakeApi } from './fake-api.ts'
import { openOffice } from './office.ts'

// Nothing is preloaded here, as just after starting.
test('navigating again before a screen has loaded shows the later screen', async () => {
  const { app, close } = await openOffice(fakeApi())
  app.router.go('audit')
  render(App, { props: { app } })
  await tick()
  app.router.go('activity')
  expect(await screen.findByRole('heading', { name: 'Activity', level: 1 }, { timeout: 20_000 })).toBeTruthy()
  close()
})
