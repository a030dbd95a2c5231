import { resolve } from 'node:path'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'electron-vite'
import { handbook } from './scripts/handbook.ts'
import { pdfjsFiles } from './scripts/pdfjs-files.ts'
import { requestNamesPlugin } from './scripts/request-names.ts'
import { singleIcons } from './scripts/single-icons.ts'
import { words } from './scripts/words.ts'

// Packages in "dependencies" (native modules and what stores settings) stay outside the bundle;
// everything else is in "devDependencies" and is bundled, so that the shipped app carries no node_modules of theirs.

/** The licences of what is bundled travel with it. */
const licences = { fileName: 'licences.md' }

export default defineConfig({
  main: {
    plugins: [words()],
    // A build of the same sources is the same where SOURCE_DATE_EPOCH says of which moment it is.
    define: { BUILT_AT_MS: String(Number(process.env.SOURCE_DATE_EPOCH ?? 0) * 1000 || Date.now()) },
    // Its module declares a `require` of its own, beside the one that electron-vite declares: a worker with both does not start.
    resolve: { alias: { fflate: resolve('node_modules/fflate/lib/node.cjs') } },
    build: {
      outDir: 'out/main',
      license: licences,
      rollupOptions: {
        input: {
          index: 'src/main/index.ts',
          'practice-worker': 'src/main/shell/practice-worker.ts',
          'backup-worker': 'src/main/shell/backup-worker.ts',
          'bulk-worker': 'src/main/shell/bulk-worker.ts',
          'documents-worker': 'src/main/shell/documents-worker.ts'
        },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' }
      }
    }
  },
  preload: {
    build: {
      outDir: 'out/preload',
      // A sandboxed preload must be one CommonJS file with nothing left to require but electron.
      externalizeDeps: false,
      rollupOptions: {
        input: { index: 'src/preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' }
      }
    },
    plugins: [requestNamesPlugin()]
  },
  renderer: {
    root: 'src/renderer',
    build: {
      outDir: 'out/renderer',
      minify: true,
      license: licences,
      // The screens are loaded from the disk; nothing here travels over a line.
      chunkSizeWarningLimit: 2000,
      rollupOptions: {
        input: {
          index: resolve('src/renderer/index.html'),
          counter: resolve('src/renderer/counter.html'),
          locked: resolve('src/renderer/locked.html')
        }
      }
    },
    plugins: [singleIcons(), words(), svelte({ configFile: '../../svelte.config.js' }), pdfjsFiles(), handbook()]
  }
})
