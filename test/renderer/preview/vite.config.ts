import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'
import { handbook } from '../../../scripts/handbook.ts'
import { pdfjsFiles } from '../../../scripts/pdfjs-files.ts'
import { singleIcons } from '../../../scripts/single-icons.ts'
import { words } from '../../../scripts/words.ts'
import { writeMadeUpWords } from './made-up-words.ts'

// The screens in a browser, on the made-up office: npx vite --config test/renderer/preview/vite.config.ts
export default defineConfig(({ command }) => {
  // Builds for screenshots include a made-up language; during development, new texts go to src/words.
  if (command === 'build') process.env.COUNTERSIGN_WORDS = writeMadeUpWords()
  return {
    root: fileURLToPath(new URL('.', import.meta.url)),
    plugins: [
      singleIcons(),
      words(),
      svelte({ configFile: fileURLToPath(new URL('../../../svelte.config.js', import.meta.url)) }),
      pdfjsFiles(),
      handbook()
    ],
    cacheDir: fileURLToPath(new URL('../../../node_modules/.cache/preview', import.meta.url)),
    build: {
      outDir: fileURLToPath(new URL('../../../out/preview', import.meta.url)),
      emptyOutDir: true,
      target: 'esnext'
    },
    server: { fs: { allow: [fileURLToPath(new URL('../../..', import.meta.url))] } }
  }
})
