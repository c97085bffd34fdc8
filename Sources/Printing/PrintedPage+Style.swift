extension PrintedPage {
    /// Black on white, and no question is divided between two sheets where it can be helped.
    static let style = """
        @page { margin: 18mm 16mm; }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 44rem; padding: 1.5rem; background: #fff; color: #000; font: 11.5pt/1.45 Georgia, "Times New Roman", "DejaVu Serif", serif; overflow-wrap: anywhere; }
        h1, h2, h3, p, ul, ol, figure, pre, blockquote { margin: 0; padding: 0; } ul, ol { list-style: none; }
        h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.2rem; } h3 { font-size: 1rem; }
        header { display: grid; gap: .6rem; border-bottom: 1px solid #000; padding-bottom: .8rem; margin-bottom: 1.2rem; }
        .person { display: flex; flex-wrap: wrap; gap: .4rem 2rem; } .score { font-weight: bold; }
        .blank { display: inline-block; min-width: 12rem; border-bottom: 1px solid #555; height: 1.2em; }
        .question { break-inside: avoid; display: grid; gap: .4rem; margin-bottom: 1.3rem; }
        .passage { display: grid; gap: .5rem; margin: 1.6rem 0 1.2rem; padding: .8rem 1rem; border: 1px solid #777; } .passage h2 { break-after: avoid; }
        .asked, .prose, .lead, .given { white-space: pre-wrap; tab-size: 4; } p.asked { font-weight: normal; } .formatted { white-space: normal; }
        .quiet { color: #444; font-size: .9em; }
        .options { display: grid; gap: .25rem; padding-inline-start: 1.2rem; } .options li { display: flex; gap: .4em; } .sign { flex: none; } .chosen { font-weight: bold; }
        .lines { height: 6.4em; background: repeating-linear-gradient(#fff 0em, #fff 1.55em, #777 1.55em, #777 1.6em); print-color-adjust: exact; } .line { height: 1.6em; border-bottom: 1px solid #555; }
        .given { border-inline-start: 3px solid #000; padding-inline-start: .7rem; } .mark { font-weight: bold; } .comment { font-style: italic; }
        .explanation { border-inline-start: 1px solid #555; padding-inline-start: .7rem; }
        .sheet { columns: 2; column-gap: 2.5rem; } .sheet li { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem .9rem; padding: .35rem 0; break-inside: avoid; border-bottom: 1px dotted #999; }
        .sheet .number { min-width: 2.2em; font-weight: bold; } .sheet .blank { flex: 1; min-width: 6rem; }
        .rows, .formatted table { border-collapse: collapse; } .rows th, .rows td, .formatted th, .formatted td { border: 1px solid #777; padding: .2rem .6rem; text-align: start; vertical-align: top; font-weight: normal; }
        .formatted > * + * { margin-top: .5rem; } .formatted ul, .formatted ol { padding-inline-start: 1.6em; } .formatted ul { list-style: disc; } .formatted ol { list-style: decimal; }
        .formatted pre { border: 1px solid #999; padding: .5rem .7rem; white-space: pre-wrap; } code { font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .88em; }
        .part + .part { break-before: page; } .part { display: grid; gap: 1rem; margin-bottom: 2rem; } .part > header { margin-bottom: 0; }
        .list { width: 100%; font-size: .92em; font-variant-numeric: tabular-nums; } .list tr { break-inside: avoid; } .list thead th { font-weight: bold; } .list .figure { text-align: end; white-space: nowrap; } .list caption { text-align: start; font-weight: bold; padding-bottom: .3rem; }
        code, math { direction: ltr; unicode-bidi: isolate; } [dir=rtl] .quiet, [dir=rtl] .mark, [dir=rtl] .person span { unicode-bidi: plaintext; text-align: right; }
        figure img { max-width: 100%; max-height: 11cm; }
        @media screen and (max-width: 40rem) { body { padding: .75rem; } .list { font-size: .8em; } .rows th, .rows td { padding: .15rem .3rem; } }
        @media print { body { max-width: none; padding: 0; } }
        """
}
