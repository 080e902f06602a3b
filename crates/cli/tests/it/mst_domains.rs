//! What a declared domain shows before any record is read.

use crate::common::Folder;

/// A domain is enough: no record has to be read, and here there is none.
#[test]
fn too_many_values_for_the_model_are_refused_before_the_table_is_read() {
    let folder = Folder::new();
    folder.write(
        "recipe.toml",
        "[input]\npath = \"nowhere.csv\"\n[attributes.q]\nrole = \"quasi-identifier\"\ndomain = [\"a\", \"b\", \"c\", \"d\", \
         \"e\"]\n[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = 1\ndelta = 1e-9\n[method]\nname = \
         \"mst\"\nmodel-cells = 4\n[output]\npath = \"release\"\n",
    );
    let run = folder.run(&["anonymize", "recipe.toml"]);
    assert_eq!(run.code, 5, "{}", run.err);
    assert!(run.err.contains("has 5 values, more than model-cells = 4"), "{}", run.err);
}
